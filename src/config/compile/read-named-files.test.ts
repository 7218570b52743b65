import { describe, expect, it } from 'vitest';
import { findingsOf, inFolder, loadSettings, loadText, settingsOf } from '../config-fixtures.ts';
import { diffSettings } from './digest.ts';

const HATS = `
hats:
  planner: { triggers: [task.start, task.resume, build.done], publishes: [build.task, LOOP_COMPLETE] }
  builder: { triggers: [build.task], publishes: [build.done] }
`;

describe('events:', () => {
  it('is part of what a run is started with, in the order of the file', () => {
    const events = `events:\n  build.done:\n    description: " It is built. "\n    schema: {type: object, required: [files]}\n  constructor: {schema: true}\n`;
    expect(settingsOf(`${events}${HATS}`).spec.events).toEqual({
      'build.done': { description: 'It is built.', schema: { type: 'object', required: ['files'] } },
      constructor: { schema: true },
    });
  });

  it.each(['', 'events:\n', 'events: {}\n'])('is nothing where it is empty: %j', (yaml) => {
    expect(settingsOf(yaml + HATS).spec).not.toHaveProperty('events');
  });

  it('keeps `$` in a schema as it is written', () => {
    const schema = `events: {build.done: {schema: {const: '\${HOME}', $defs: {a: true}}}}`;
    expect(settingsOf(schema + HATS).spec.events?.['build.done']?.schema).toEqual({ const: `\${HOME}`, $defs: { a: true } });
  });

  it.each([
    ['events: {"build.*": {description: x}}', 'error topic-invalid "build.*"'],
    ['events: {"a b": {}}', 'error topic-invalid "a b"'],
    ['events: {a: {schema: [1]}}', 'error schema-invalid schema'],
    ['events: {a: {schema: text}}', 'error schema-invalid text'],
    ['events: {a: {schema: {type: objekt}}}', 'error schema-invalid objekt'],
    ['events: {a: {schema: {properties: {b: {minimum: .inf}}}}}', 'error schema-invalid schema'],
    ['events: {a: {schema: {colour: red}}}', 'warning schema-invalid red'],
    ['events: {a: {schema_file: none.json}}', 'error schema-file none.json'],
    ['events: {a: {schema: {}, schema_file: none.json}}', 'error schema-file schema_file'],
    ['events: {a: {shema: {}}}', 'error key-unknown shema'],
    ['events: [a]', 'error type-invalid events'],
  ])('%s is told at its place', (yaml, finding) => {
    expect(findingsOf(`${yaml}\n${HATS}`)).toContain(finding);
  });

  it('leaves a schema with an error out, so that the rest can be looked at', () => {
    const { settings, diagnostics } = loadText(`events: {a: {description: x, schema: {type: 3}}}\n${HATS}`);
    expect([settings, diagnostics.length]).toEqual([null, 1]);
  });
});

describe('schema_file', () => {
  const yaml = `events: {build.done: {schema_file: shapes/done.json}}\n${HATS}`;
  const load = (files: Readonly<Record<string, string>>) =>
    inFolder({ 'conf/ralph.yml': yaml, ...files }, (cwd) => loadSettings({ cwd, configFiles: ['conf/ralph.yml'], flags: { prompt: 'x' } }));

  it.each(['{"required": ["files"]}', 'required:\n  - files\n'])('is read beside the configuration file, as JSON or YAML: %j', (text) => {
    expect(load({ 'conf/shapes/done.json': text }).settings?.spec.events).toEqual({ 'build.done': { schema: { required: ['files'] } } });
  });

  it('that has a fault shows it in that file', () => {
    expect(load({ 'conf/shapes/done.json': '{\n  "type": "objekt"\n}' }).diagnostics).toMatchObject([
      { code: 'schema-invalid', file: 'conf/shapes/done.json', line: 2, column: 11 },
    ]);
  });

  it.each(['', '[1, 2]', '{', '\u0000'])('that is no schema is told: %j', (text) => {
    const { settings, diagnostics } = load({ 'conf/shapes/done.json': text });
    expect([settings, diagnostics.length > 0]).toEqual([null, true]);
  });

  it('counts as a change of the configuration when what is in it changed', () => {
    const [before, after] = ['{"required": ["a"]}', '{"required": ["b"]}'].map((text) => load({ 'conf/shapes/done.json': text }).settings);
    if (!before || !after) throw new Error('both are right');
    expect(diffSettings(before, after)).toEqual(['events.build.done']);
  });
});
