#!/bin/sh
# An ACP agent of one megabyte, for benches that need hundreds: it has sessions, answers prompts, and says nothing.
while read -r line; do
  id=${line#*\"id\":}
  id=${id%%,*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}' ;;
    *'"method":"session/new"'*) result="{\"sessionId\":\"idle_$$\"}" ;;
    *'"method":"session/prompt"'*) result='{"stopReason":"end_turn"}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
