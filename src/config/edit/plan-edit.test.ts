import { describe, expect, it } from 'vitest';
import type { RepairChange } from '../../core/schema/finding.ts';
import { inFolder } from '../config-fixtures.ts';
import { readConfig } from '../load-config.ts';
import { applyEdits } from './text-edit.ts';

const NOWHERE = { file: 'ralph.yml', line: 1, column: 1, endLine: 1, endColumn: 2 };

/** The text after a change; `null` where none is planned. */
function change(yaml: string, wanted: RepairChange, files: Readonly<Record<string, string>> = {}): string | null {
  return inFolder({ 'ralph.yml': yaml, ...files }, (cwd) => {
    const edit = readConfig({ cwd }).planEdit(NOWHERE, wanted);
    return edit === null ? null : applyEdits(edit.file.text, [edit]).text;
  });
}

const addTrigger = (yaml: string, item = 'task.resume'): string | null =>
  change(yaml, { kind: 'add-item', to: { kind: 'hat-list', hat: 'a', list: 'triggers' }, item });
const addTerminal = (yaml: string): string | null =>
  change(yaml, { kind: 'add-item', to: { kind: 'loop', key: 'terminal_events' }, item: 'ship.it' });

describe('adding an item to a list', () => {
  it.each([
    ['a flow list', 'triggers: [x, y] # why', 'triggers: [x, y, task.resume] # why'],
    ['a flow list with quotes', 'triggers: ["x", "y"]', 'triggers: ["x", "y", "task.resume"]'],
    ['a flow list with single quotes', "triggers: ['x']", "triggers: ['x', 'task.resume']"],
    [
      'a flow list over several lines',
      'triggers: [\n      x, # one\n      y, # two\n    ]',
      'triggers: [\n      x, # one\n      y, task.resume, # two\n    ]',
    ],
    ['an empty flow list', 'triggers: [] # none', 'triggers: [task.resume] # none'],
    [
      'a block list',
      'triggers:\n      - x # one\n      # two\n      - y # three\n    name: A',
      'triggers:\n      - x # one\n      # two\n      - y # three\n      - task.resume\n    name: A',
    ],
    ['a block list that is not indented', 'triggers:\n    - "x"\n    name: A', 'triggers:\n    - "x"\n    - "task.resume"\n    name: A'],
    ['a single word', 'triggers: x # why', 'triggers: [x, task.resume] # why'],
    ['a single word in quotes', 'triggers: "x"', 'triggers: ["x", "task.resume"]'],
    ['nothing', 'triggers: # later', 'triggers: [task.resume] # later'],
    ['a tilde', 'triggers: ~', 'triggers: [task.resume]'],
    ['another name of the key', 'subscribes_to: [x]', 'subscribes_to: [x, task.resume]'],
  ])('keeps the manner of %s', (_, before, after) => {
    expect(addTrigger(`# top\nhats:\n  a:\n    ${before}\n  b:\n    triggers: [z]\n`)).toBe(
      `# top\nhats:\n  a:\n    ${after}\n  b:\n    triggers: [z]\n`,
    );
  });

  it('works at the end of a text without a line break, and between line breaks of Windows', () => {
    expect(addTrigger('hats:\n  a:\n    triggers:\n    - x')).toBe('hats:\n  a:\n    triggers:\n    - x\n    - task.resume');
    expect(addTrigger('hats:\r\n  a:\r\n    triggers:\r\n      - x\r\n')).toBe(
      'hats:\r\n  a:\r\n    triggers:\r\n      - x\r\n      - task.resume\r\n',
    );
  });

  it('goes behind an item that is a map', () => {
    const publish = (yaml: string) => change(yaml, { kind: 'add-item', to: { kind: 'hat-list', hat: 'a', list: 'publishes' }, item: 'y' });
    expect(publish('hats:\n  a:\n    publishes:\n      - topic: x\n        target: b # to b\n    triggers: [z]\n')).toBe(
      'hats:\n  a:\n    publishes:\n      - topic: x\n        target: b # to b\n      - y\n    triggers: [z]\n',
    );
    expect(publish('hats:\n  a: {publishes: [{topic: x, target: b}]}\n')).toBe('hats:\n  a: {publishes: [{topic: x, target: b}, y]}\n');
    expect(publish('hats:\n  a: {publishes: {topic: x, target: b}}\n')).toBe('hats:\n  a: {publishes: [{topic: x, target: b}, y]}\n');
  });

  it('writes in quotes what would be read as something else', () => {
    expect(addTrigger('hats: {a: {triggers: [x]}}', '*')).toBe('hats: {a: {triggers: [x, "*"]}}');
    expect(addTrigger('hats: {a: {triggers: [x]}}', '*.done')).toBe('hats: {a: {triggers: [x, "*.done"]}}');
    expect(addTrigger('hats: {a: {triggers: [x]}}', '1.5')).toBe('hats: {a: {triggers: [x, "1.5"]}}');
    expect(addTrigger('hats: {a: {triggers: [x]}}', 'true')).toBe('hats: {a: {triggers: [x, "true"]}}');
    expect(addTrigger('hats: {a: {triggers: [x]}}', 'a.*')).toBe('hats: {a: {triggers: [x, a.*]}}');
  });

  it('leaves alone what has the item, and what others share', () => {
    expect(addTrigger('hats: {a: {triggers: [task.resume]}}')).toBeNull();
    expect(addTrigger('hats: {a: {triggers: task.resume}}')).toBeNull();
    expect(addTrigger('x-all: &all [x]\nhats:\n  a:\n    triggers: *all\n')).toBeNull();
    expect(addTrigger('x-base: &base\n  triggers: [x]\nhats:\n  a:\n    <<: *base\n')).toBeNull();
    expect(addTrigger('hats:\n  b: {triggers: [x]}\n')).toBeNull();
  });

  it('keeps an anchor that the list has', () => {
    expect(addTrigger('hats:\n  a:\n    triggers: &t [x]\n  b:\n    triggers: [y]\n')).toBe(
      'hats:\n  a:\n    triggers: &t [x, task.resume]\n  b:\n    triggers: [y]\n',
    );
  });
});

describe('adding a list that is not there', () => {
  it.each([
    [
      'to the section',
      'event_loop: # limits\n  # how long\n  max_iterations: 5\nhats: {}\n',
      'event_loop: # limits\n  terminal_events: [ship.it]\n  # how long\n  max_iterations: 5\nhats: {}\n',
    ],
    [
      'to an indented section',
      'event_loop:\n      max_iterations: 5\n',
      'event_loop:\n      terminal_events: [ship.it]\n      max_iterations: 5\n',
    ],
    ['to a section in braces', 'event_loop: {max_iterations: 5}\n', 'event_loop: {terminal_events: [ship.it], max_iterations: 5}\n'],
    ['to empty braces', 'event_loop: {} # none\n', 'event_loop: {terminal_events: [ship.it]} # none\n'],
    ['to an empty section', 'event_loop: # none\nhats: {}\n', 'event_loop: # none\n  terminal_events: [ship.it]\nhats: {}\n'],
    [
      'with a new section at the end',
      'hats:\n  a: {triggers: [x]} # last\n# end\n',
      'hats:\n  a: {triggers: [x]} # last\n# end\nevent_loop:\n  terminal_events: [ship.it]\n',
    ],
    ['behind a line without an end', 'hats:\n  a: {}', 'hats:\n  a: {}\nevent_loop:\n  terminal_events: [ship.it]\n'],
    ['in the manner of Windows', 'hats:\r\n  a: {}\r\n', 'hats:\r\n  a: {}\r\nevent_loop:\r\n  terminal_events: [ship.it]\r\n'],
    ['to a file in braces', '{hats: {a: {}}}', '{event_loop: {terminal_events: [ship.it]}, hats: {a: {}}}'],
  ])('writes it %s', (_, before, after) => {
    expect(addTerminal(before)).toBe(after);
  });

  it('writes a list of a hat below its id', () => {
    const publish = (yaml: string) => change(yaml, { kind: 'add-item', to: { kind: 'hat-list', hat: 'a', list: 'publishes' }, item: 'y' });
    expect(publish('hats:\n  a: # builds\n    # when\n    triggers: [x]\n')).toBe(
      'hats:\n  a: # builds\n    publishes: [y]\n    # when\n    triggers: [x]\n',
    );
    expect(publish('hats:\n  a:\n')).toBe('hats:\n  a:\n    publishes: [y]\n');
  });

  it('leaves alone a text that ends in another document, and a section behind an alias', () => {
    expect(addTerminal('hats:\n  a: {}\n...\n')).toBeNull();
    expect(addTerminal('x-l: &l {max_iterations: 5}\nevent_loop: *l\n')).toBeNull();
  });
});

describe('replacing a word', () => {
  const replaceAt = (yaml: string, column: number, endColumn: number, text: string): string | null =>
    inFolder({ 'ralph.yml': yaml }, (cwd) => {
      const edit = readConfig({ cwd }).planEdit({ ...NOWHERE, column, endColumn }, { kind: 'replace', text });
      return edit === null ? null : applyEdits(edit.file.text, [edit]).text;
    });

  it('keeps the quotes that are there', () => {
    expect(replaceAt('naem: x', 1, 5, 'name')).toBe('name: x');
    expect(replaceAt('"naem": x', 1, 7, 'name')).toBe('"name": x');
    expect(replaceAt("'naem': x", 1, 7, 'name')).toBe("'name': x");
  });

  it('writes truth values without quotes', () => {
    expect(replaceAt('name: "yes"', 7, 12, 'true')).toBe('name: true');
  });

  it('leaves alone what holds a variable or goes on in the next line', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable in a configuration
    expect(replaceAt('name: ${X}', 7, 11, 'y')).toBeNull();
    expect(replaceAt('name: "a\n  b"', 7, 9, 'y')).toBeNull();
    expect(replaceAt('name: x', 40, 41, 'y')).toBeNull();
  });
});

describe('applyEdits', () => {
  it('makes changes against the text as it was, and leaves out what overlaps', () => {
    const file = { name: 'x', folder: '/', text: 'abcdef', lineStarts: [0] };
    const edit = (start: number, end: number, text: string) => ({ file, start, end, text });
    expect(applyEdits('abcdef', [edit(4, 5, 'E'), edit(1, 3, '-'), edit(2, 5, '!'), edit(1, 1, '?')])).toMatchObject({
      text: 'a-dEf',
      applied: [{ start: 1 }, { start: 4 }],
    });
  });
});
