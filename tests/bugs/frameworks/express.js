// SPDX-License-Identifier: GPL-2.0-only
// The functions of ../languages/serve.js in Express: see ../frameworks.py.
'use strict';
const express = require('express');
const app = express();
const { answer, port } = require('../languages/serve.js');

app.use((request, response, next) => next());
app.use((request, response) => answer(request.path, text => response.send(text)));
app.listen(+port, '127.0.0.1');
