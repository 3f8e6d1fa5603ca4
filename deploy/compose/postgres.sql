-- Run once by the image of Postgres, when its volume is new: the database belongs to a role that is no superuser.
\set ON_ERROR_STOP on
\getenv owner POSTGRES_OWNER
\getenv password POSTGRES_OWNER_PASSWORD
CREATE ROLE :"owner" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
SELECT current_database() AS database \gset
ALTER DATABASE :"database" OWNER TO :"owner";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
