# SPDX-License-Identifier: GPL-2.0-only
# The functions of ../languages/serve.rb as an application of Sinatra: see ../frameworks.py.
require 'sinatra/base'
require_relative '../languages/serve'

# Its routes.
class Shop < Sinatra::Base
  set :environment, :production
  get('/*') { run(params['splat'][0]) }
end

begin_kinds
run Shop
