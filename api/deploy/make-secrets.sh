#!/bin/sh
# Makes what docker-compose.yml reads: logins with passwords, the key that signs the audit, the one behind webhooks, and the pair that secrets of tenants are sealed to. What is there stays.
# The files are for several users in the containers; the directory is for you alone.
set -eu
directory=${1:-.secrets}
mkdir -p "$directory"
chmod 700 "$directory"
random() { openssl rand -hex 24; }
secret() { [ -e "$directory/$1" ] || printf '%s\n' "$2" > "$directory/$1"; }
secret postgres_password "$(random)"
secret database_owner_url "postgres://gate_migrate:$(random)@postgres/gate"
secret database_url "postgres://action_gate_runtime:$(random)@postgres/gate"
secret redis_url "redis://:$(random)@redis:6379"
[ -e "$directory/signing_key" ] || openssl genpkey -algorithm ed25519 -out "$directory/signing_key"
secret webhook_key "$(openssl rand -base64 32)"
[ -e "$directory/secrets_key" ] || openssl genpkey -algorithm X25519 -out "$directory/secrets_key"
[ -e "$directory/secrets_public_key" ] || openssl pkey -in "$directory/secrets_key" -pubout -out "$directory/secrets_public_key"
chmod 644 "$directory"/*
