import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns, propertySize } from '../property-fixtures.ts';
import { createTextSignalScanner } from './text-signals.ts';

const PROMISE = 'LOOP_COMPLETE';

/** What a text amounts to; a line `=====` ends a message. */
function scan(text: string) {
  const scanner = createTextSignalScanner(PROMISE);
  for (const line of text.split('\n')) {
    if (line === '=====') scanner.nextMessage();
    else scanner.line(line);
  }
  return scanner.finish();
}

/** `topic=payload` of each event found. */
function events(text: string): readonly string[] {
  return scan(text).signals.map((signal) => (signal.kind === 'event' ? `${signal.topic}=${JSON.stringify(signal.payload)}` : signal.kind));
}

function complaints(text: string): readonly string[] {
  return scan(text).problems.map((problem) => problem.message);
}

/** Whatever stands in a text: what is told of it is bounded. */
function expectShortExcerpts(text: string) {
  const found = scan(text);
  expect(found.problems.every((problem) => problem.excerpt.length <= 200)).toBe(true);
  return found;
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

  it.each<[string, (payload: string) => string, string]>([
    ['in a tag', (payload) => `<event topic="impl.done">\n${payload}\n</event>`, 'x'.repeat(1_000_100)],
    ['in a tag of many lines', (payload) => `<event topic="impl.done">${payload}</event>`, `${'x'.repeat(99)}\n`.repeat(10_001)],
    ['behind EVENT:', (payload) => `EVENT:impl.done:${payload}`, `{"a":"${'x'.repeat(1_000_092)}"}`],
    ['behind EVENT: over several lines', (payload) => `EVENT:impl.done:${payload}`, `{"a":\n"${'x'.repeat(1_000_092)}"}`],
  ])('cuts a payload %s that is too long, and says so', (_, write, payload) => {
    const { signals, problems } = scan(write(payload));
    expect(signals).toMatchObject([{ topic: 'impl.done', payload: expect.stringMatching(/\n\[cut: \d+ more characters\]$/) }]);
    expect(problems).toMatchObject([
      { where: 'output', message: expect.stringMatching(/^the payload of impl\.done is too long: its last \d+ characters were cut off/) },
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
    ['words on the next line', '<event\nand so on', 'an <event> tag whose attributes cannot be read'],
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

  it.each([
    ['its attributes', '<event\n  topic="a"\n  target="b"\n>x</event>', { topic: 'a', target: 'b', payload: 'x' }],
    ['its mark', '- <event topic="a"\n>x</event>', { topic: 'a', payload: 'x' }],
    ['a self-closing tag', 'So: <event topic="a"\n  target="b" />', { topic: 'a', target: 'b', payload: '' }],
  ])('reads a tag over several lines: %s', (_name, text, signal) => {
    expect(scan(text)).toMatchObject({ signals: [signal], problems: [] });
  });

  it('what follows a tag that breaks off is read as usual', () => {
    const text = 'I write <event\n```\nEVENT:hidden\n```\nEVENT:b\nLOOP_COMPLETE';
    expect([events(text), complaints(text), scan(text).promised]).toEqual([
      ['b=""'],
      ['an <event> tag whose attributes cannot be read'],
      true,
    ]);
  });

  it.each([
    ['a tag', 'Later I write `<event topic="a">x</event>`.'],
    ['the opening tag', 'Close `<event topic="a">` with </event>'],
    ['a tag in two backticks', '``<event topic="a">`x`</event>``'],
    ['a tag that cannot be read', 'the form `<event topic=a>`'],
  ])('inline code publishes nothing: %s', (_name, text) => {
    expect(scan(text)).toMatchObject({ signals: [], problems: [] });
  });

  it('a backtick without its pair hides no tag', () => {
    expect(events('``it`s <event topic="a">a and ```</event> x')).toEqual(['a="a and ```"']);
    expect(events('<event topic="a">see `<event topic="b">` and `x`</event>')).toEqual(['a="see `<event topic=\\"b\\">` and `x`"']);
  });

  it.each([
    ['on one line', '<event topic="a">1 <event topic="b">2</event> 3</event>', '1 <event topic="b">2</event> 3'],
    ['over lines', '<event topic="a">\n<event topic="b">\n2\n</event>\n3\n</event>', '<event topic="b">\n2\n</event>\n3'],
    ['in a fence', '<event topic="a">\n```\n<event topic="b">\n```\n</event>', '```\n<event topic="b">\n```'],
    ['one that closes itself', '<event topic="a"><event topic="b"/></event>', '<event topic="b"/>'],
  ])('a closed tag that contains another is one event: %s', (_name, text, payload) => {
    expect(scan(text)).toMatchObject({ signals: [{ topic: 'a', payload }], problems: [] });
  });

  it.each([
    ['entities', 'a &lt; b &amp;&amp; c &gt; &quot;d&quot; &apos;e&apos;', `a < b && c > "d" 'e'`],
    ['characters by number', '&#65;&#x1F9E2;', 'A\u{1F9E2}'],
    ['what is no entity', '&nbsp; & &#0; &#xD800; &#9999999; &', '&nbsp; & &#0; &#xD800; &#9999999; &'],
    ['an entity once', '&amp;lt;', '&lt;'],
    ['CDATA', '<![CDATA[a &lt; </event> b]]>', 'a &lt; </event> b'],
    ['CDATA over lines', 'x &lt; <![CDATA[\n<event topic="b">\n]]> y', 'x < \n<event topic="b">\n y'],
    ['CDATA that does not end', 'a <![CDATA[ b', null],
  ])('reads %s in a body', (_name, body, payload) => {
    expect(scan(`<event topic="a">${body}</event>`).signals).toEqual(
      payload === null ? [] : [{ kind: 'event', channel: 'text', topic: 'a', payload }],
    );
  });

  it('a fence that begins after an unclosed tag hides a sample', () => {
    expect(events('<event topic="a"> is the tag:\n```xml\n<event topic="b">sample</event>\n```')).toEqual([]);
  });

  it('gives up a tag whose body is longer than four million characters, even of blank lines', () => {
    const scanner = createTextSignalScanner(PROMISE);
    scanner.line('<event topic="a">');
    for (let count = 0; count < 3900; count += 1) scanner.line('x'.repeat(999));
    for (let count = 0; count < 100_100; count += 1) scanner.line('');
    scanner.line('EVENT:b');
    expect(scanner.finish()).toMatchObject({
      signals: [{ topic: 'b' }],
      problems: [{ message: 'an <event> tag was not closed within four million characters' }],
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
    expect(scan(text)).toMatchObject({ signals: [], problems: [], promised: false });
  });

  it('everything counts again after them', () => {
    const text = '```\nEVENT:a\n```\nEVENT:b\nLOOP_COMPLETE';
    expect([events(text), scan(text).promised]).toEqual([['b=""'], true]);
  });
});

describe('JSON over several lines', () => {
  it('is read to its balanced end', () => {
    const text = 'EVENT:build.task:{\n  "a": 1,\n  "b": ["}", "<event topic=\\"x\\">"]\n}\nEVENT:b';
    expect([events(text), complaints(text)]).toEqual([['build.task={"a":1,"b":["}","<event topic=\\"x\\">"]}', 'b=""'], []]);
  });

  it('is read in a list item and in bold', () => {
    expect(events('- **EVENT:a:[\n  1,\n\n  2\n]**')).toEqual(['a=[1,2]']);
  });

  it.each([
    ['words', 'EVENT:a:{\n"x": 1\nand so on\nLOOP_COMPLETE'],
    ['the end of the text', 'EVENT:a:{\nLOOP_COMPLETE\n'],
    ['another event', 'EVENT:a:{\nEVENT:b\nLOOP_COMPLETE'],
    ['a fence', 'EVENT:a:{\n```\n}\n```\nLOOP_COMPLETE'],
    ['brackets that do not match', 'EVENT:a:{\n]\nLOOP_COMPLETE'],
  ])('that is broken off by %s is taken as text, with a report, and what follows is read', (_name, text) => {
    expect(scan(text)).toMatchObject({ promised: true, problems: [{ message: 'EVENT:a: is not followed by valid JSON; taken as text' }] });
    expect(events(text)[0]).toBe('a="{"');
  });

  it('does not reach into the next message', () => {
    expect(events('EVENT:a:{\n=====\n}\nEVENT:b')).toEqual(['a="{"', 'b=""']);
  });
});

describe('what looks like a signal and is none', () => {
  it.each([
    ['a sentence', 'All is done: LOOP_COMPLETE is what I say.', 'All is done: LOOP_COMPLETE is what I say.'],
    ['a fence', '```\nLOOP_COMPLETE\n```', 'LOOP_COMPLETE'],
    ['a quotation', '> LOOP_COMPLETE', '> LOOP_COMPLETE'],
    ['inline code', '`LOOP_COMPLETE`', '`LOOP_COMPLETE`'],
    ['a tag', '<promise>LOOP_COMPLETE</promise>', '<promise>LOOP_COMPLETE</promise>'],
    ['a long line', `${'x'.repeat(900)} LOOP_COMPLETE ${'y'.repeat(900)}`, expect.stringMatching(/^x{80,} LOOP_COMPLETE y{80,}$/)],
  ])('the promise in %s', (_name, text, line) => {
    expect(scan(text)).toMatchObject({ promised: false, missed: [{ topic: null, line }] });
  });

  it.each([
    ['a tag in inline code', '`<event topic="a.b">x</event>`', 'a.b'],
    ['a tag in a fence', '```\n<event topic="a">\nx\n</event>\n```', 'a'],
    ['words behind the topic', 'EVENT: a.b tests are green', 'a.b'],
    ['the line in a fence', '```\nEVENT:a:{"x":1}\n```', 'a'],
    ['a command that was not run', "ralph emit a.b 'done'", 'a.b'],
  ])('an event: %s', (_name, text, topic) => {
    expect(scan(text)).toMatchObject({ signals: [], missed: [{ topic, line: text.split('\n').find((line) => line.includes(topic)) }] });
  });

  it.each(['LOOP_COMPLETED', 'MY_LOOP_COMPLETE', 'loop complete', 'The <event> tag', 'an EVENT: line', 'LOOP_COMPLETE\n=====\nmore to do'])(
    'is not found in other words: %s',
    (text) => {
      expect(scan(text).missed).toEqual([]);
    },
  );

  it('is not told where the promise counts in the same message', () => {
    expect(scan('I end with LOOP_COMPLETE:\nLOOP_COMPLETE').missed).toEqual([]);
  });

  it('keeps five events, whatever comes', () => {
    expect(scan('EVENT: a b\n'.repeat(50)).missed).toHaveLength(5);
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
      '<![CDATA[',
      ']]>',
      '`',
      '&lt;',
      '{',
      '"x":',
      '}',
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
        const { signals } = expectShortExcerpts(sample);
        expect(JSON.parse(JSON.stringify(signals))).toEqual(signals);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('takes time in proportion to its lines, however many tags and brackets are left open, and tells of them in short', () => {
    for (const bit of [
      '<event topic="a">',
      '<event',
      '`',
      'EVENT:a:{',
      '{',
      '<![CDATA[',
      '<event topic="a"> </event',
      '`<event topic="a">`',
    ]) {
      expectShortExcerpts(`${bit}\n`.repeat(propertyRuns(20_000)));
      expectShortExcerpts(`EVENT:a:[\n<event topic="a">\n${bit}\n`.repeat(propertyRuns(10_000)));
    }
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
    ['backticks', '` '],
    ['runs of backticks', '` `` ``` '],
    ['CDATA', '<![CDATA['],
    ['brackets', '{['],
    ['entities', '&amp'],
    ['the promise', 'LOOP_COMPLETE '],
  ])('reads a line of a million characters of %s, tells of it in short', (_name, bit) => {
    const long = bit.repeat(Math.ceil(propertySize(1_000_000) / bit.length));
    expectShortExcerpts(`${long}\n<event topic="a">${long}\nEVENT:a:${long}\n- ${long}x\n\`\`\`${long}x\n<event${long}`);
  });
});
