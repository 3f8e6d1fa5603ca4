import { describe, expect, test } from 'vitest';
import { newestSection, notesOf, openedIn, releasedIn } from './changelog.ts';
import { type Component, mergedSbom } from './sbom.ts';
import { bakeWith, imagesWith, isVersion, lockWith, manifestWith } from './versions.ts';

const lockstep = { version: '0.2.0', ours: new Set(['escapement', '@escapement/core']) };

describe('versions', () => {
  test('a package has the new version, and depends on ours by exactly that; the rest and its order stay', () => {
    const before = {
      name: 'escapement',
      version: '0.1.0',
      dependencies: { '@escapement/core': '0.1.0', zod: '4.6.7' },
    };
    const after = manifestWith(JSON.stringify({ ...before, files: ['dist'] }), lockstep);
    const dependencies = { '@escapement/core': '0.2.0', zod: '4.6.7' };
    expect(after).toBe(`${JSON.stringify({ ...before, version: '0.2.0', dependencies, files: ['dist'] }, null, 2)}\n`);
  });

  test('the lock file has it for the root and the workspaces, and for no other package', () => {
    const before = {
      version: '0.1.0',
      packages: {
        '': { version: '0.1.0' },
        'apps/cli': { version: '0.1.0', peerDependencies: { '@escapement/core': '0.1.0' } },
        'node_modules/x': { version: '0.1.0', dependencies: { escapement: '0.1.0' } },
        'node_modules/escapement': { resolved: 'apps/cli', link: true },
      },
    };
    expect(JSON.parse(lockWith(JSON.stringify(before), ['apps/cli'], lockstep))).toEqual({
      version: '0.2.0',
      packages: {
        ...before.packages,
        '': { version: '0.2.0' },
        'apps/cli': { version: '0.2.0', peerDependencies: { '@escapement/core': '0.2.0' } },
      },
    });
  });

  test('a manifest for Kubernetes names our images by it, and others as before', () => {
    const text = '- name: a\n  image: escapement-api:0.1.0\n- image: postgres:0.1.0\n';
    expect(imagesWith(text, lockstep)).toBe('- name: a\n  image: escapement-api:0.2.0\n- image: postgres:0.1.0\n');
  });

  test('images are built by it', () => {
    const text = '{ "REGISTRY": { "default": "" }, "VERSION": { "default": "0.1.0" } }';
    expect(bakeWith(text, lockstep)).toBe(text.replace('0.1.0', '0.2.0'));
  });

  test.each(['1.2.3', '0.1.0-rc.1'])('%s is a version', (text) => expect(isVersion(text)).toBe(true));
  test.each(['v1.2.3', '1.2', '01.2.3', '1.2.3-', ''])('%j is none', (text) => expect(isVersion(text)).toBe(false));
});

describe('changelog', () => {
  const text = '# Changelog\n\nDates are UTC.\n\n## 0.2.0, unreleased\n\n- new\n\n## 0.1.0, 2026-01-02\n\n- first\n';
  const released = releasedIn(text, '0.2.1', '2026-03-04');

  test('what is unreleased gets its version and its date, once', () => {
    expect(newestSection(released)).toEqual({ version: '0.2.1', when: '2026-03-04' });
    expect(() => releasedIn(released, '0.3.0', '2026-03-05')).toThrow('0.2.1 of 2026-03-04: nothing is unreleased');
  });

  test('a section for the next version is opened above, once', () => {
    const opened = openedIn(released, '0.3.0');
    expect(opened).toContain('Dates are UTC.\n\n## 0.3.0, unreleased\n\n### For everybody\n\n## 0.2.1, 2026-03-04\n');
    expect(() => openedIn(opened, '0.4.0')).toThrow('0.3.0 already');
  });

  test('the notes of a version are its section', () => {
    expect(notesOf(released, '0.2.1')).toBe('- new');
    expect(notesOf(released, '0.1.0')).toBe('- first');
    expect(() => notesOf(released, '9.9.9')).toThrow('no section 9.9.9');
  });
});

describe('SBOM', () => {
  const component = (name: string, purl: string): Component => ({ 'bom-ref': name, type: 'library', name, purl });
  const installed = {
    bomFormat: 'CycloneDX' as const,
    metadata: { component: component('main', 'pkg:npm/escapement-workspace@0.1.0') },
    components: [component('cli', 'pkg:npm/escapement@0.1.0'), component('pg', 'pkg:npm/pg@8.0.0')],
    dependencies: [],
  };
  const all = [
    ...installed.components,
    component('react', 'pkg:npm/react@19.0.0'),
    component('c', 'pkg:npm/%40s/c@1.0.0'),
  ];

  test('it has what an install brings and what is bundled, each once, by the names of packages', () => {
    const { components, metadata } = mergedSbom(installed, all, ['react', '@s/c', 'pg']);
    expect(metadata.component.name).toBe('escapement-workspace');
    expect(components.map(({ name }) => name)).toEqual(['@s/c', 'escapement', 'pg', 'react']);
  });

  test('a bundled package that the lock file lacks is an error', () => {
    expect(() => mergedSbom(installed, all, ['vue'])).toThrow('vue is bundled');
  });
});
