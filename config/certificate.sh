#!/bin/sh
# certificate.sh FOLDER NAME: a certificate for NAME and localhost, signed by itself, good for a year; unless FOLDER
# has one. Who connects trusts it by its file: HALL_TLS_CA=cert.pem.
set -eu
folder=$1 name=$2
if [ -e "$folder/cert.pem" ] && [ -e "$folder/key.pem" ]; then
  echo "There is a certificate in $folder; it stays."
  exit 0
fi
case $name in
*[!0-9.]*) names="DNS:$name,DNS:localhost,IP:127.0.0.1" ;;
*) names="IP:$name,DNS:localhost,IP:127.0.0.1" ;;
esac
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
  -subj "/CN=$name" -addext "subjectAltName=$names" -keyout "$folder/key.pem" -out "$folder/cert.pem"
chmod 0644 "$folder/cert.pem"
# Root makes it for the hall, which is user 1000 of the image, and alone shall read the key.
[ "$(id -u)" != 0 ] || chown 1000:1000 "$folder" "$folder/cert.pem" "$folder/key.pem"
echo "Made a certificate for $name in $folder."
