# A Dask scheduler and a worker that ask for a certificate; one for all machines is enough.
openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=fits -keyout key.pem -out cert.pem
export DASK_DISTRIBUTED__COMM__TLS__CA_FILE=cert.pem
export DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT=cert.pem DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY=key.pem
dask scheduler --protocol tls --tls-ca-file cert.pem --tls-cert cert.pem --tls-key key.pem
dask worker tls://host:8786 --tls-ca-file cert.pem --tls-cert cert.pem --tls-key key.pem
