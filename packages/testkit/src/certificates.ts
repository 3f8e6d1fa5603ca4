import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testServers } from './test-servers.ts';

const run = promisify(execFile);
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority, and certificates that it signed: files, and their content. */
export interface Certificates {
  files: { ca: string; cert: string; key: string };
  ca: string;
  cert: string;
  key: string;
}

/** Makes an authority of its own and a certificate for `name`, good for servers and clients. */
export async function certificates(name: string): Promise<Certificates> {
  const dir = join(testServers().home, `tls-${randomUUID()}`);
  await mkdir(dir);
  const at = (file: string) => join(dir, file);
  const files = { ca: at('ca.pem'), cert: at('cert.pem'), key: at('key.pem') };
  await writeFile(at('names'), `subjectAltName=${name === '127.0.0.1' ? 'IP' : 'DNS'}:${name}`);
  await run('openssl', [
    'req',
    '-x509',
    ...NEW_KEY,
    '-subj',
    '/CN=authority',
    '-keyout',
    at('ca.key'),
    '-out',
    files.ca,
  ]);
  await run('openssl', ['req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', files.key, '-out', at('request')]);
  const by = ['-CA', files.ca, '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('names')];
  await run('openssl', ['x509', '-req', '-in', at('request'), ...by, '-out', files.cert]);
  const [ca, cert, key] = await Promise.all([files.ca, files.cert, files.key].map((file) => readFile(file, 'utf8')));
  return { files, ca: ca ?? '', cert: cert ?? '', key: key ?? '' };
}
