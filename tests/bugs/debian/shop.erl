%% SPDX-License-Identifier: GPL-2.0-only
%% A shop behind the web server of inets: what is asked for, each thing once, in a sorted list or by search in a list.
-module(shop).
-export([start/1, list/3]).

start([Port, Root, Way]) ->
    {ok, _} = application:ensure_all_started(inets),
    persistent_term:put(way, Way),
    Dir = atom_to_list(Root),
    {ok, _} = inets:start(httpd, [{port, list_to_integer(atom_to_list(Port))}, {bind_address, {127, 0, 0, 1}},
                                  {server_name, "shop"}, {server_root, Dir}, {document_root, Dir},
                                  {modules, [mod_esi]}, {erl_script_alias, {"/esi", [shop]}}]).

list(Session, _Env, Input) ->
    Things = things(list_to_integer(Input), []),
    Kept = case persistent_term:get(way) of
               sorted -> lists:usort(Things);
               searched -> unique(Things, [])
           end,
    mod_esi:deliver(Session, ["Content-Type: text/plain\r\n\r\n", integer_to_list(length(Kept)), "\n"]).

things(0, Made) -> Made;
things(Left, Made) -> things(Left - 1, [{thing, Left * 7919 rem 100003} | Made]).

unique([], Kept) -> Kept;
unique([One | Rest], Kept) ->
    case lists:member(One, Kept) of
        true -> unique(Rest, Kept);
        false -> unique(Rest, [One | Kept])
    end.
