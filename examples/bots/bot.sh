#!/bin/sh
# A bot for Dice of Doom. It makes the attack with the best odds, and ends its turn when no attack has 60 %.
#
#   sh bot.sh                          answers an arena on stdin and stdout
#   sh bot.sh http://localhost:8080    plays a game on a server
set -eu
export LC_ALL=C # a decimal point for sort

# Writes the path of the best of the moves on stdin: from hex to hex, or null to end the turn.
choose() {
  grep -Eo '"path":(null|[[][0-9,]*])|"odds":[^}]*' | paste -d ' ' - - |
    sed 's/"path":\(.*\) "odds":\(.*\)/\2 \1/; s/^null/0.6/; s/^[^ ]*e-[0-9]*/0/' |
    sort -s -r -n | sed 's/.* //; q'
}

# Writes the first value of a field of the JSON on stdin.
field() {
  grep -Eo "\"$1\":([[][^]]*]|[^],}]*)" | sed 's/[^:]*://; s/"//g; q'
}

play_in_arena() {
  while read -r request; do
    position=$(echo "$request" | grep -o '"position":{[^}]*}')
    echo "{\"id\":$(echo "$request" | field id),\"op\":\"moves\",$position,\"successors\":false}"
  done | "${DICE_OF_DOOM:-dice-of-doom}" engine | while read -r answer; do
    echo "{\"id\":$(echo "$answer" | field id),\"ok\":{\"path\":$(echo "$answer" | choose)}}"
  done
}

# Sends a request, again if there is no answer, or if the server has too much to do, after `Retry-After` seconds.
send() {
  curl -sS --fail-with-body --retry 9 --retry-connrefused -H 'Content-Type: application/json' "$@"
}

play_on_server() {
  games=$1/api/v1/games
  game=$(send -d '{"game":"dice","seats":["human","book","book","book"]}' "$games")
  id=$(echo "$game" | field id)
  token=$(echo "$game" | field token)
  echo "$1/g/$id"
  while [ "$(echo "$game" | field over)" = false ]; do
    ply=$(echo "$game" | field ply)
    if [ "$(echo "$game" | field player)" = 0 ]; then
      path=$(send "$games/$id/moves" | choose)
      send -H "Authorization: Bearer $token" -d "{\"ply\":$ply,\"path\":$path}" "$games/$id/moves" >/dev/null
    fi
    game=$(send "$games/$id?wait=$((ply + 1))") # waits for the next ply, at most 30 seconds
  done
  echo "winners: $(echo "$game" | field winners)"
}

if [ $# -gt 0 ]; then
  play_on_server "${1%/}"
else
  play_in_arena
fi
