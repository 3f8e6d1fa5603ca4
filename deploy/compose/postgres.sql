-- Run once by the image of Postgres, when its volume is new: the roles of prisma/roles.sql, and a user of each for a program. None is a
-- superuser. `escapement migrate --roles` gives the roles their rights.
\set ON_ERROR_STOP on
\getenv owner POSTGRES_OWNER
\getenv owner_password POSTGRES_OWNER_PASSWORD
\getenv scheduler_password POSTGRES_SCHEDULER_PASSWORD
\getenv worker_password POSTGRES_WORKER_PASSWORD
\getenv api_password POSTGRES_API_PASSWORD
CREATE ROLE escapement_owner NOLOGIN;
CREATE ROLE escapement_scheduler NOLOGIN;
CREATE ROLE escapement_worker NOLOGIN;
CREATE ROLE escapement_api NOLOGIN;
CREATE ROLE escapement_reader NOLOGIN;
CREATE ROLE :"owner" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'owner_password' IN ROLE escapement_owner;
CREATE ROLE scheduler LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'scheduler_password' IN ROLE escapement_scheduler;
CREATE ROLE worker LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'worker_password' IN ROLE escapement_worker;
CREATE ROLE api LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'api_password' IN ROLE escapement_api;
SELECT current_database() AS database \gset
ALTER DATABASE :"database" OWNER TO escapement_owner;
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO escapement_scheduler, escapement_worker, escapement_api, escapement_reader;
