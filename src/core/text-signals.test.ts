import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextSignalScanner } from './text-signals.ts';

const PROMISE = 'LOOP_COMPLETE';

/** What a text amounts to; a line `=====` ends a message. */
function scan(text: string) {
  const scanner = createTextSignalScanner(PROMISE);
  for (const line of text.split('\n')) {
    if (line === '=====') scanner.nextMessage();
    else scanner.line(line);
  }
  const { signals, problems, promised } = scanner.finish();
  return { signals, problems, promised };
}

/** `topic=payload` of each event found. */
function events(text: string): readonly string[] {
  return scan(text).signals.map((signal) => (signal.kind === 'event' ? `${signal.topic}=${JSON.stringify(signal.payload)}` : signal.kind));
}

function complaints(text: string): readonly string[] {
  return scan(text).problems.map((problem) => problem.message);
}

describe('event tags of seed 004', () => {
  it('an event is created with topic `impl.done` and the content as payload', () => {
    expect(scan('<event topic="impl.done">content</event>').signals).toEqual([
      { kind: 'event', channel: 'text', topic: 'impl.done', payload: 'content' },
    ]);
  });

  it('reads the target of a handoff', () => {
    expect(scan('<event topic="handoff" target="reviewer">\nPlease review src/auth.rs\n</event>').signals).toEqual([
      { kind: 'event', channel: 'text', topic: 'handoff', payload: 'Please review src/auth.rs', target: 'reviewer' },
    ]);
  });

  it('keeps the lines of a body, blank ones too', () => {
    expect(events('<event topic="a">\n\none\n\n  two\r\n</event>')).toEqual(['a="one\\n\\n  two"']);
  });

  it('keeps code fences in a body', () => {
    expect(events('<event topic="a">\n```\ncode\n```\n</event>\n<event topic="b">x</event>')).toEqual(['a="```\\ncode\\n```"', 'b="x"']);
  });

  it.each([
    ['single quotes', "<event topic='a'>x</event>"],
    ['attributes in any order', '<event target="" topic="a">x</event>'],
    ['unknown attributes', '<event id="7" topic="a" x-y="z">x</event>'],
    ['spaces around the equals sign', '<event  topic = "a" >x</event >'],
    ['words around it', 'Now: <event topic="a">x</event> and so on'],
    ['a tag in a list', '- <event topic="a">x</event>'],
  ])('reads a tag with %s', (_name, text) => {
    expect(events(text)).toEqual(['a="x"']);
  });

  it('reads several tags on a line, and a self-closing one', () => {
    expect(events('<event topic="a">1</event><event topic="b"/> <event topic="c" />')).toEqual(['a="1"', 'b=""', 'c=""']);
  });

  it('reads a tag that begins where another one ends', () => {
    expect(events('<event topic="a">\n1\n</event> <event topic="b">\n2\n</event>')).toEqual(['a="1"', 'b="2"']);
  });

  it.each([
    ['no topic', '<event>x</event>', 'an <event> tag without a topic'],
    ['an empty topic', '<event topic="">x</event>', 'an <event> tag without a topic'],
    ['a bad topic', '<event topic="a b">x</event>', 'an <event> tag whose topic "a b" is not a topic'],
    ['a pattern as its topic', '<event topic="a.*">x</event>', 'an <event> tag whose topic "a.*" is not a topic'],
    ['unquoted attributes', '<event topic=a>x</event>', 'an <event> tag whose attributes cannot be read'],
    ['an attribute that never ends', '<event topic="a>x</event>', 'an <event> tag whose attributes cannot be read'],
    ['attributes on the next line', '<event\ntopic="a">x</event>', 'an <event> tag whose attributes cannot be read'],
  ])('warns of a tag with %s and takes it as raw text', (_name, text, message) => {
    expect(scan(text)).toMatchObject({ signals: [], problems: [{ where: 'output', message }] });
  });

  it('warns of a bad tag also where a good one follows on the line', () => {
    const text = '<event topic=a>x</event> <event topic="b">y</event>';
    expect([events(text), complaints(text)]).toEqual([['b="y"'], ['an <event> tag whose attributes cannot be read']]);
  });

  it('takes words that only resemble a tag as words', () => {
    expect(scan('<events topic="a">x</events> <eventful> </event>')).toMatchObject({ signals: [], problems: [] });
  });

  it('an unclosed tag is a warning and raw text: what follows it counts as if it were not there', () => {
    const text = 'I shall write an <event topic="build.done"> tag.\nEVENT:other.done\n```\nEVENT:fenced\n```\nLOOP_COMPLETE';
    expect([events(text), complaints(text), scan(text).promised]).toEqual([['other.done=""'], ['an <event> tag was never closed'], true]);
  });

  it('a tag that opens inside an unclosed one counts', () => {
    const text = '<event topic="a">\nwords\n<event topic="b">\nbody\n</event>';
    expect([events(text), complaints(text)]).toEqual([['b="body"'], ['an <event> tag was never closed']]);
  });

  it('a tag that opens on the line of an unclosed one counts', () => {
    const text = 'I write <event topic="a"> so: <event topic="a">x</event>';
    expect([events(text), complaints(text)]).toEqual([['a="x"'], ['an <event> tag was never closed']]);
  });

  it('what stands beside a tag is a line without it', () => {
    expect(events('EVENT:b <event topic="a">x</event>')).toEqual(['a="x"', 'b=""']);
    expect(scan('LOOP_COMPLETE <event topic="a">x</event>').promised).toBe(true);
    expect(scan('<event topic="a">x</event> so, LOOP_COMPLETE').promised).toBe(false);
  });

  it('a fence that begins after an unclosed tag hides a sample', () => {
    expect(events('<event topic="a"> is the tag:\n```xml\n<event topic="b">sample</event>\n```')).toEqual([]);
  });

  it('gives up a tag whose body is longer than a million characters, even of blank lines', () => {
    const scanner = createTextSignalScanner(PROMISE);
    scanner.line('<event topic="a">');
    for (let count = 0; count < 1_000_100; count += 1) scanner.line('');
    scanner.line('EVENT:b');
    expect(scanner.finish()).toMatchObject({
      signals: [{ topic: 'b' }],
      problems: [{ message: 'an <event> tag was not closed within a million characters' }],
    });
  });

  it('cuts a body that ends in time but is too long for a payload, and says so', () => {
    const payload = scan(`<event topic="a">${'x'.repeat(1_000_005)}</event>`).signals[0];
    expect(payload).toMatchObject({ kind: 'event', payload: expect.stringMatching(/x\n\[cut: 5 more characters\]$/) });
  });
});

describe('fences', () => {
  it.each([
    ['a tag', '```\n<event topic="a">x</event>\n```'],
    ['an EVENT: line', '~~~\nEVENT:a\n~~~'],
    ['a transition', '```\nHAT_TRANSITION:editor\n```'],
    ['the promise', '```\nLOOP_COMPLETE\n```'],
    ['a tag in a list', '- like so:\n\n      ```\n      <event topic="a">x</event>\n      ```'],
    ['everything in an unclosed one', '```\nEVENT:a\nLOOP_COMPLETE'],
  ])('nothing counts inside: %s', (_name, text) => {
    expect(scan(text)).toEqual({ signals: [], problems: [], promised: false });
  });

  it('everything counts again after them', () => {
    const text = '```\nEVENT:a\n```\nEVENT:b\nLOOP_COMPLETE';
    expect([events(text), scan(text).promised]).toEqual([['b=""'], true]);
  });
});

describe('messages', () => {
  it('the promise counts in the last one only', () => {
    expect([scan('LOOP_COMPLETE\n=====\nnot yet').promised, scan('not yet\n=====\nLOOP_COMPLETE').promised]).toEqual([false, true]);
  });

  it('events count in all of them', () => {
    expect(events('EVENT:a\n=====\nEVENT:b\n=====\n')).toEqual(['a=""', 'b=""']);
  });

  it('fences and tags do not reach from one into the next', () => {
    const text = '```\nEVENT:a\n=====\nEVENT:b\n<event topic="c">\n=====\n</event>EVENT:x\nEVENT:d';
    expect(events(text)).toEqual(['b=""', 'd=""']);
  });
});

describe('the text as a whole', () => {
  it('keeps the order of its signals, of whatever form', () => {
    expect(events('EVENT:a\n<event topic="b">x</event>\nHAT_TRANSITION:editor\nEVENT:c')).toEqual(['a=""', 'b="x"', 'transition', 'c=""']);
  });

  it('takes lines with carriage returns', () => {
    expect([events('EVENT:a\r\n<event topic="b">\r\nx\r\n</event>\r\n'), scan('LOOP_COMPLETE\r').promised]).toEqual([
      ['a=""', 'b="x"'],
      true,
    ]);
  });

  it('takes a thousand signals and reports the rest', () => {
    const { signals, problems } = scan('EVENT:a\n'.repeat(3000));
    expect([signals.length, problems.length]).toEqual([1000, 1000]);
    expect(problems[0]).toEqual({ where: 'output', message: 'too many signals in one turn; this one is left out', excerpt: 'a' });
  });

  it('takes ten million characters of payloads and reports the rest', () => {
    const scanner = createTextSignalScanner(PROMISE);
    for (let count = 0; count < 20; count += 1) scanner.line(`<event topic="a">${'x'.repeat(900_000)}</event>`);
    const { signals, problems } = scanner.finish();
    expect([signals.length, problems.length]).toEqual([11, 9]);
  });

  it('counts what a payload of JSON takes', () => {
    const scanner = createTextSignalScanner(PROMISE);
    for (let count = 0; count < 20; count += 1) scanner.line(`EVENT:a:["${'x'.repeat(900_000)}"]`);
    expect(scanner.finish().signals).toHaveLength(11);
  });

  it('never throws and stays within its bounds on arbitrary text', () => {
    const bits = fc.constantFrom(
      '<event',
      ' topic="a"',
      " target='b'",
      '>',
      '/>',
      '</event>',
      'EVENT:',
      'a.b',
      ':{"x":1}',
      '```',
      '~~~',
      '- ',
      '> ',
      '**',
      'HAT_TRANSITION:x',
      PROMISE,
      '\n',
      '\r\n',
      '=====\n',
      ' ',
      '\t',
      '\u2028',
    );
    const text = fc.array(fc.oneof({ weight: 6, arbitrary: bits }, fc.string()), { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (sample) => {
        const { signals, problems } = scan(sample);
        expect(JSON.parse(JSON.stringify(signals))).toEqual(signals);
        expect(problems.every((problem) => problem.excerpt.length <= 200)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['opening tags', '<event topic="a"> '],
    ['halves of tags', '<event '],
    ['closing tags', '</event> '],
    ['attributes', '<event a="'],
    ['list marks', '- '],
    ['quote marks', '>'],
    ['stars', '*'],
    ['spaces', ' '],
    ['digits', '1) '],
    ['fences', '```'],
    ['EVENT:', 'EVENT:'],
  ])('reads a line of a million characters of %s in good time', (_name, bit) => {
    const long = bit.repeat(Math.ceil(1_000_000 / bit.length));
    scan(`${long}\n<event topic="a">${long}\nEVENT:a:${long}\n- ${long}x\n\`\`\`${long}x\n<event${long}`);
  });
});
