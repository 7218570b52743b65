import { describe, expect, it } from 'vitest';
import { accept } from '../../core/values/result.ts';
import { inFolder, loadSettings, tokenAt } from '../config-fixtures.ts';
import { type LoadRequest, readConfig } from '../load-config.ts';

type Files = Readonly<Record<string, string>>;

function load(files: Files, request: Partial<LoadRequest> = {}) {
  return inFolder(files, (cwd) => loadSettings({ cwd, flags: { prompt: 'Do it.' }, ...request }));
}

function hatOf(files: Files, request: Partial<LoadRequest> = {}) {
  const { settings, diagnostics } = load(files, request);
  if (settings === null) throw new Error(diagnostics.map((diagnostic) => diagnostic.message).join(' '));
  return settings.spec.hats?.[0];
}

/** The findings, each as `file: code token`, the token being the text at its place. */
function findings(files: Files, request: Partial<LoadRequest> = {}): readonly string[] {
  return load(files, request).diagnostics.map((entry) => `${entry.file}: ${entry.code} ${tokenAt(files[entry.file] ?? '', entry)}`);
}

const MAIN = 'hats:\n  a:\n    import: ./hats/a.yml\n';

describe('the import of a hat', () => {
  it('takes the keys of the file; those beside it win, an empty one takes a key away', () => {
    const files = {
      'ralph.yml': `${MAIN}    description: mine\n    max_activations:\n`,
      'hats/a.yml': 'description: theirs\nname: A\ntriggers: [x]\nmax_activations: 3\n',
    };
    expect(hatOf(files)).toMatchObject({ id: 'a', name: 'A', description: 'mine', triggers: ['x'], maxActivations: null });
  });

  it('takes a file in which `hats:` has one hat, whatever it is called there', () => {
    expect(hatOf({ 'ralph.yml': MAIN, 'hats/a.yml': 'hats: {other: {triggers: [x]}}' })).toMatchObject({ id: 'a', triggers: ['x'] });
  });

  it('is relative to the file that says it, and so are the files that the imported one names', () => {
    const files = {
      'conf/ralph.yml': MAIN,
      'conf/hats/a.yml': 'import: ../base/b.yml\ninstructions_file: a.md\n',
      'conf/base/b.yml': 'triggers: [x]\ndescription: base\n',
      'conf/hats/a.md': 'Be exact.',
    };
    expect(hatOf(files, { configFiles: ['conf/ralph.yml'] })).toMatchObject({
      triggers: ['x'],
      description: 'base',
      instructions: 'Be exact.',
    });
  });

  it('may lead out of the folder of the run, and name variables', () => {
    const files = { 'run/ralph.yml': `hats: {a: {import: "\${TEAM}/a.yml"}}`, 'team/a.yml': 'triggers: [x]' };
    inFolder(files, (cwd) => {
      const { settings } = loadSettings({ cwd: `${cwd}/run`, flags: { prompt: 'x' }, env: { TEAM: '../team' } });
      expect(settings?.spec.hats?.[0]?.triggers).toEqual(['x']);
    });
  });

  it('wins over what a lower source says of the hat', () => {
    const files = { 'ralph.yml': 'hats: {a: {triggers: [x], description: old}}', 'over.yml': MAIN, 'hats/a.yml': 'description: new' };
    expect(hatOf(files, { configFiles: ['ralph.yml', 'over.yml'] })).toMatchObject({ triggers: ['x'], description: 'new' });
    expect(hatOf(files, { assignments: ['hats.a.import=hats/a.yml'] })).toMatchObject({ triggers: ['x'], description: 'new' });
  });

  it('has findings in the imported file there', () => {
    expect(findings({ 'ralph.yml': MAIN, 'hats/a.yml': 'triggers: [x, y z]\ntrigers: [a]\nzebra: 1\n' })).toEqual([
      'hats/a.yml: topic-invalid y z',
      'hats/a.yml: key-unknown trigers',
      'hats/a.yml: key-unknown zebra',
    ]);
    expect(findings({ 'ralph.yml': MAIN, 'hats/a.yml': 'triggers: [x\nname: a' })[0]).toMatch(/^hats\/a\.yml: yaml-/);
  });

  it.each([
    ['nothing there', 'hats: {a: {import: no.yml}}', ['ralph.yml: import-missing no.yml']],
    ['a folder', 'hats: {a: {import: hats}}', ['ralph.yml: import-missing hats']],
    ['an URL', 'hats: {a: {import: "https://a.b/c.yml"}}', ['ralph.yml: import-invalid "https://a.b/c.yml"']],
    ['another kind of value', 'hats: {a: {triggers: [x], import: [a]}}', ['ralph.yml: type-invalid import']],
    ['a whole team', 'hats: {a: {import: hats/team.yml}}', ['ralph.yml: import-hat hats/team.yml']],
  ])('of %s is one finding, at its value', (_, yaml, expected) => {
    expect(findings({ 'ralph.yml': yaml, 'hats/team.yml': 'hats: {x: {triggers: [a]}, y: {triggers: [b]}}' })).toEqual(expected);
  });

  it('that goes round in a circle names the way', () => {
    const files = { 'ralph.yml': MAIN, 'hats/a.yml': 'import: b.yml\n', 'hats/b.yml': 'triggers: [x]\nimport: ../hats/a.yml\n' };
    const [finding, ...others] = load(files).diagnostics;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'import-cycle', file: 'hats/b.yml', line: 2, column: 9 });
    expect(finding?.message).toContain('hats/a.yml -> hats/b.yml -> hats/a.yml');
    expect(finding?.related?.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['ralph.yml', 3, 13],
      ['hats/a.yml', 1, 9],
    ]);
  });

  it('that imports itself, or the file that it is in, is a circle', () => {
    expect(findings({ 'ralph.yml': MAIN, 'hats/a.yml': 'import: a.yml' })).toEqual(['hats/a.yml: import-cycle a.yml']);
    expect(findings({ 'ralph.yml': 'hats: {a: {import: ralph.yml}}' })).toEqual(['ralph.yml: import-cycle ralph.yml']);
  });

  it('ends at a depth that nobody needs', () => {
    const chain = Array.from({ length: 40 }, (_, index) => [`hats/${index}.yml`, `import: ${index + 1}.yml\n`] as const);
    const files = { ...Object.fromEntries(chain), 'hats/40.yml': 'triggers: [x]', 'ralph.yml': 'hats: {a: {import: hats/0.yml}}' };
    expect(findings(files)).toEqual(['hats/19.yml: import-deep 20.yml']);
  });

  it('of one file by many hats reads it once and tells what is wrong in it once', () => {
    const hats = Array.from({ length: 50 }, (_, index) => `  h${index}: {import: hats/a.yml, triggers: [t${index}]}`);
    const files = { 'ralph.yml': `hats:\n${hats.join('\n')}\n`, 'hats/a.yml': 'zebra: 1\n' };
    expect(findings(files)).toEqual(['hats/a.yml: key-unknown zebra']);
    const reads: string[] = [];
    inFolder(files, (cwd) => {
      const texts: Files = files;
      readConfig({
        cwd,
        readText: (path) => {
          reads.push(path.slice(cwd.length + 1));
          return accept(texts[path.slice(cwd.length + 1)] ?? '');
        },
      });
    });
    expect(reads).toEqual(['ralph.yml', 'hats/a.yml']);
  });

  it('that cannot be read gives no further findings about its hat, which may take anything', () => {
    inFolder({ 'ralph.yml': 'hats: {a: {import: no.yml, default_publishes: [x]}, b: {triggers: [y]}}' }, (cwd) => {
      const { diagnostics, looseTriggers } = readConfig({ cwd });
      expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['import-missing']);
      expect(looseTriggers).toEqual({ a: ['*'] });
    });
  });
});

describe('triggers that cannot be read', () => {
  it.each([
    ['build*', ['build.*']],
    ['"*done"', ['*.done']],
    ['build done', ['build.done']],
    ['build..done', ['build.done']],
    ['/build/done/', ['build.done']],
    ['"build: done"', ['build.done']],
    ['a.**', ['a.*']],
    ['"…"', ['*']],
  ])('%s are taken for what was probably meant', (trigger, expected) => {
    inFolder({ 'ralph.yml': `hats: {a: {triggers: [${trigger}, ok]}, b: {subscriptions: [fine]}}` }, (cwd) => {
      expect(readConfig({ cwd }).looseTriggers).toEqual({ a: expected });
    });
  });

  it('of a hat that is no map may be anything', () => {
    inFolder({ 'ralph.yml': 'hats: {a: 5, b: {triggers: {x: y}}}' }, (cwd) => {
      expect(readConfig({ cwd }).looseTriggers).toEqual({ a: ['*'], b: ['*'] });
    });
  });
});

describe('a file outside of the folder of the configuration', () => {
  const CONTENTS = [
    'root:$6$hash-s3cret:19000\nother-s3cret: abc\n  bad: [x\n',
    's3cret: 1\nmore-s3cret: 2\n',
    'hats:\n  a: {}\nbeside-s3cret: 1\n',
    'triggers: [s3cret..topic, "S3CRET topic"]\ntriggers: s3cret\n',
    '- s3cret\n',
    'max_activations: s3cret\nbackend: {type: s3cret}\n',
    '\t"s3cret',
  ];
  const SCHEMAS = ['type: s3cret\n', '[s3cret', 's3cret: 1\nproperties: s3cret\n'];

  it.each(CONTENTS)('is named by what is found in it, and no word of it is said: %j', (text) => {
    const files = { 'w/ralph.yml': 'hats:\n  a:\n    import: ../other/shadow\n', 'other/shadow': text };
    inFolder(files, (cwd) => {
      const { diagnostics } = loadSettings({ cwd: `${cwd}/w`, flags: { prompt: 'x' } });
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(JSON.stringify(diagnostics)).not.toMatch(/s3cret/i);
    });
  });

  it.each(SCHEMAS)('as a schema of an event, likewise: %j', (text) => {
    const files = { 'w/ralph.yml': 'events:\n  a.b: {schema_file: ../other/schema}\n', 'other/schema': text };
    inFolder(files, (cwd) => {
      const { diagnostics } = loadSettings({ cwd: `${cwd}/w`, flags: { prompt: 'x' } });
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(JSON.stringify(diagnostics)).not.toMatch(/s3cret/i);
    });
  });
});
