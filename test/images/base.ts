import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const dpkg = (...args: string[]): string[] =>
  execFileSync('dpkg-query', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Of no use to a program, and not in a slim image. */
const LEFT_OUT = /^\/usr\/share\/(doc|man|locale|info|lintian|bash-completion)\//;

/**
 * The root of an image such as node:24-bookworm-slim, of what is installed here: the packages that every Debian has, with what they depend
 * on, and this Node with its npm where that image has them.
 */
export function makeBase(folder: string): void {
  for (const part of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(folder, 'usr', part), { recursive: true });
    symlinkSync(`usr/${part}`, join(folder, part));
  }
  const files = [...requiredPackages()].flatMap((name) => dpkg('-L', name)).filter((file) => !LEFT_OUT.test(file));
  const list = [...new Set(files)].filter((file) => file.startsWith('/') && file !== '/.').join('\0');
  // Through the links that were made above: packages say /bin/sh.
  const packed = execFileSync('tar', ['-C', '/', '-c', '--no-recursion', '--ignore-failed-read', '--null', '-T', '-'], {
    input: list.replaceAll(/(^|\0)\//g, '$1'),
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 2 ** 30,
  });
  execFileSync('tar', ['-C', folder, '-x', '--keep-directory-symlink'], { input: packed });
  addUsers(folder);
  addNode(folder);
  for (const part of ['proc', 'dev', 'tmp', 'run', 'root', 'home/node'])
    mkdirSync(join(folder, part), { recursive: true });
  execFileSync('chroot', [folder, 'ldconfig']);
}

/** As dpkg-query names them. */
const FIELDS = ['Package', 'Essential', 'Priority', 'Pre-Depends', 'Depends'].map((name) => `\${${name}}`).join('\t');

function requiredPackages(): Set<string> {
  const depends = new Map<string, string[]>();
  const found = new Set<string>(['libstdc++6', 'libgcc-s1', 'libc6']);
  for (const line of dpkg('-W', '-f', `${FIELDS}\n`)) {
    const [name = '', essential, priority, ...needs] = line.split('\t');
    depends.set(
      name,
      needs
        .join()
        .split(/[,|]/)
        .map((each) => each.trim().replace(/[ :].*$/, '')),
    );
    if (essential === 'yes' || priority === 'required') found.add(name);
  }
  // What is added is looked at as well.
  for (const name of found) for (const needed of depends.get(name) ?? []) if (depends.has(needed)) found.add(needed);
  return found;
}

/** As the scripts of packages, and the image of Node, make them. */
function addUsers(folder: string): void {
  const master = (name: string) => execFileSync('cat', [`/usr/share/base-passwd/${name}.master`], { encoding: 'utf8' });
  mkdirSync(join(folder, 'etc'), { recursive: true });
  writeFileSync(join(folder, 'etc/passwd'), `${master('passwd')}node:x:1000:1000::/home/node:/bin/bash\n`);
  writeFileSync(join(folder, 'etc/group'), `${master('group')}node:x:1000:\n`);
}

function addNode(folder: string): void {
  const [bin, modules] = [join(folder, 'usr/local/bin'), join(folder, 'usr/local/lib/node_modules')];
  mkdirSync(bin, { recursive: true });
  mkdirSync(modules, { recursive: true });
  copyFileSync(process.execPath, join(bin, 'node'));
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  cpSync(dirname(dirname(realpathSync(npm))), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
  symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', join(bin, 'npx'));
}
