#!/bin/bash
# Whether a port of this container answers a path with 200. It takes 16 ms of a core, where starting Node took 600.
exec 3<> "/dev/tcp/127.0.0.1/$1" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
read -r status <&3
[[ $status == 'HTTP/1.1 200 '* ]]
