import { describe, expect, it } from 'vitest';
import { isPromiseLine, parseSignalLine } from './signal-lines.ts';
import { createSignalCollector } from './text-signals.ts';

function read(line: string) {
  const found = createSignalCollector();
  return { signal: parseSignalLine(line, found), problems: found.problems };
}

describe('the promise on a line of its own', () => {
  it.each([
    'LOOP_COMPLETE',
    '  LOOP_COMPLETE  ',
    '**LOOP_COMPLETE**',
    '*LOOP_COMPLETE*',
    '__LOOP_COMPLETE__',
    '- LOOP_COMPLETE',
    '* LOOP_COMPLETE',
    '+ **LOOP_COMPLETE**',
    '• LOOP_COMPLETE',
    '1. LOOP_COMPLETE',
    '12) LOOP_COMPLETE',
    '# LOOP_COMPLETE',
    '### LOOP_COMPLETE',
    '## **LOOP_COMPLETE** ##',
    '"LOOP_COMPLETE"',
    '**LOOP_COMPLETE**.',
    '**LOOP_COMPLETE.**',
    'LOOP_COMPLETE!',
    `LOOP_COMPLETE${' '.repeat(500)}`,
  ])('counts: %s', (line) => {
    expect(isPromiseLine(line, 'LOOP_COMPLETE')).toBe(true);
  });

  it.each([
    'I will say LOOP_COMPLETE when all is done.',
    'LOOP_COMPLETE is not yet due',
    'not LOOP_COMPLETE',
    'LOOP_COMPLETE: no',
    'LOOP_COMPLETED',
    'MY_LOOP_COMPLETE',
    'loop_complete',
    'LOOP_COMPLETE LOOP_COMPLETE',
    'LOOP_COMPLETE?',
    '- [ ] LOOP_COMPLETE',
    '-LOOP_COMPLETE',
    '+LOOP_COMPLETE',
    '| LOOP_COMPLETE |',
    '> LOOP_COMPLETE',
    '>LOOP_COMPLETE',
    '- > LOOP_COMPLETE',
    '`LOOP_COMPLETE`',
    '**`LOOP_COMPLETE`**',
    '~~LOOP_COMPLETE~~',
    '<promise>LOOP_COMPLETE</promise>',
    'LOOP COMPLETE',
    '',
  ])('does not count: %j', (line) => {
    expect(isPromiseLine(line, 'LOOP_COMPLETE')).toBe(false);
  });

  it('never counts where no promise is configured', () => {
    expect(isPromiseLine('', '')).toBe(false);
  });

  it.each([
    ['All done.', '**All done.**'],
    ['**DONE**', '**DONE**'],
    ['__DONE__', '- __DONE__'],
    ['DONE!', 'DONE!'],
    ['C++', '*C++*'],
  ])('takes a promise of any characters: %s in %s', (promise, line) => {
    expect(isPromiseLine(line, promise)).toBe(true);
  });
});

describe('EVENT: lines of seed 000', () => {
  it.each([
    'EVENT:review.approved',
    '  EVENT:review.approved  ',
    'EVENT: review.approved',
    '- EVENT:review.approved',
    '**EVENT:review.approved**',
    '`EVENT:review.approved`',
    '> EVENT:review.approved',
    'EVENT:review.approved:',
  ])('%s is the event without a payload', (line) => {
    expect(read(line)).toEqual({ signal: { kind: 'event', channel: 'text', topic: 'review.approved', payload: '' }, problems: [] });
  });

  it('reads the JSON after the topic', () => {
    expect(read('EVENT:implementation.done:{"files_changed": "internal/session/manager.go"}').signal).toEqual({
      kind: 'event',
      channel: 'text',
      topic: 'implementation.done',
      payload: { files_changed: 'internal/session/manager.go' },
    });
  });

  it.each([
    ['EVENT:a:null', null],
    ['EVENT:a:0', 0],
    ['EVENT:a:false', false],
    ['EVENT:a:"words"', 'words'],
    ['EVENT:a: [1, "b"] ', [1, 'b']],
    ['`EVENT:a:{"b":1}`', { b: 1 }],
    ['EVENT:a:{"b":"x:y"}', { b: 'x:y' }],
    ['EVENT:a:{"b":"\u2028"}', { b: '\u2028' }],
  ])('takes any JSON value: %s', (line, payload) => {
    expect(read(line).signal).toMatchObject({ payload });
  });

  it.each([
    ['EVENT:a:{"b":1}.', { b: 1 }, []],
    ['EVENT:a:{"b":"}"} and more words', { b: '}' }, ['EVENT:a: has words behind its JSON; they are left out']],
    ['EVENT:a:["x"] **', ['x'], []],
  ])('takes JSON to its balanced end: %s', (line, payload, messages) => {
    const { signal, problems } = read(line);
    expect([signal, problems.map((problem) => problem.message)]).toEqual([
      { kind: 'event', channel: 'text', topic: 'a', payload },
      messages,
    ]);
  });

  it('takes bad JSON as text, with a warning', () => {
    expect(read('EVENT:fix.requested:{"issue": tests failing}')).toEqual({
      signal: { kind: 'event', channel: 'text', topic: 'fix.requested', payload: '{"issue": tests failing}' },
      problems: [
        {
          where: 'output',
          message: 'EVENT:fix.requested: is not followed by valid JSON; taken as text',
          excerpt: 'EVENT:fix.requested:{"issue": tests failing}',
        },
      ],
    });
  });

  it('leaves an underscore that belongs to the topic', () => {
    expect(read('EVENT:build_').signal).toMatchObject({ topic: 'build_' });
  });

  it.each(['I write EVENT:a now', 'EVENT:a and then', 'EVENT:', 'EVENT: :{}', 'MYEVENT:a', 'event:a', 'The EVENT:a:{} line'])(
    'prose never counts: %s',
    (line) => {
      expect(read(line)).toEqual({ signal: null, problems: [] });
    },
  );

  it.each(['EVENT:a..b', 'EVENT:build.done.', 'EVENT:a/b'])('reports what cannot be a topic: %s', (line) => {
    const { signal, problems } = read(line);
    expect(signal).toBeNull();
    expect(problems[0]?.message).toMatch(/^EVENT: line whose topic ".+" is not a topic$/);
  });
});

describe('HAT_TRANSITION: lines of seed 000', () => {
  it.each([
    'HAT_TRANSITION:editor',
    'HAT_TRANSITION: editor',
    ' - HAT_TRANSITION:editor ',
    '**HAT_TRANSITION:editor**',
    '`HAT_TRANSITION:editor`',
  ])('%s hands on', (line) => {
    expect(read(line)).toEqual({ signal: { kind: 'transition', hat: 'editor' }, problems: [] });
  });

  it.each(['then HAT_TRANSITION:editor', 'HAT_TRANSITION:', 'HAT_TRANSITION:editor now', 'HAT_TRANSITION:a.b'])(
    'prose never counts: %s',
    (line) => {
      expect(read(line).signal).toBeNull();
    },
  );
});
