import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTranslator } from '../clis.ts';
import { createEchoFilter, createTextTranslator, toSeenLine } from './text-translator.ts';
import type { StreamEnd, Translator } from './translator.ts';

const EXIT = { exitCode: 0, signal: null, stderrTail: '', now: 0 };

function play(
  translator: Translator,
  output: string,
  exit: Partial<typeof EXIT> = {},
): StreamEnd & { readonly text: string; readonly warnings: readonly string[] } {
  const events = output.split('\n').flatMap((line) => [...translator.line(line)]);
  const end = translator.end({ ...EXIT, ...exit });
  const all = [...events, ...end.events];
  const text = all.map((event) => (event.type === 'text' ? event.text : event.type === 'message-end' ? '■' : '')).join('');
  return { ...end, text, warnings: all.flatMap((event) => (event.type === 'warning' ? [event.message] : [])) };
}

describe('a plain-text agent', () => {
  it('says its standard output, less escape codes and the echo of the prompt', () => {
    const turn = play(createTextTranslator('Do it'), '> Do it\n\u001b[1mdone\u001b[0m\nLOOP_COMPLETE');
    expect(turn).toMatchObject({ text: 'done\nLOOP_COMPLETE\n■', verdict: 'none', failure: null, toolCalls: null });
  });

  it('succeeds by exit code 0, also without a word', () => {
    expect(play(createTextTranslator('x'), '').failure).toBeNull();
  });

  it.each([
    ['Error: 429 Too Many Requests', '', 'transient'],
    ['', 'You have hit your usage limit. Try again in 2 hours', 'limit'],
    ['', 'Not logged in. Run `amp login`', 'auth'],
    ['Segmentation fault', 'All tests pass.', 'agent'],
  ])('fails by its exit code with a class from its last words: %s%s', (stderrTail, output, failureClass) => {
    expect(play(createTextTranslator('x'), output, { exitCode: 3, stderrTail }).failure).toMatchObject({ class: failureClass });
  });

  it('names its exit code where there are no words', () => {
    expect(play(createTextTranslator('x'), '', { exitCode: 3 }).failure?.message).toBe('the agent ended with exit code 3');
  });

  it('is not judged by its words when it succeeded', () => {
    expect(play(createTextTranslator('x'), 'I fixed the usage limit error 429').failure).toBeNull();
  });
});

describe('an agent that was asked for a stream and speaks plain text', () => {
  it('is taken at its word, with a warning, and judged by its exit code', () => {
    const turn = play(createTranslator('claude', 'Do it'), 'working\nLOOP_COMPLETE');
    expect(turn).toMatchObject({ text: 'working\nLOOP_COMPLETE\n■', verdict: 'none', failure: null });
    expect(turn.warnings[0]).toContain('plain text');
    expect(play(createTranslator('claude', 'Do it'), 'oh no', { exitCode: 1 }).failure?.class).toBe('agent');
  });

  it('has failed when it said nothing at all', () => {
    expect(play(createTranslator('claude', 'Do it'), '')).toMatchObject({ verdict: 'missing', failure: { class: 'agent' } });
  });

  it('is no such agent when a note came before its stream', () => {
    const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: 's' });
    const turn = play(createTranslator('claude', 'Do it'), `(node:1) a note\n${result}`);
    expect(turn).toMatchObject({ text: '', verdict: 'succeeded', sessionId: 's' });
    expect(turn.warnings[0]).toContain('a note');
  });

  it('is heard while it speaks when it speaks a lot', () => {
    const translator = createTranslator('claude', 'x');
    const heard = Array.from({ length: 100 }, () => translator.line('x'.repeat(1000))).flat();
    expect(heard.filter((event) => event.type === 'text')).toHaveLength(100);
  });
});

describe('a stream that nobody knows', () => {
  it('is plain text', () => {
    expect(play(createTranslator('stream', 'x'), '{"what":"ever"}').text).toBe('{"what":"ever"}\n■');
    expect(play(createTranslator('no-such-format', 'x'), 'words').text).toBe('words\n■');
  });
});

describe('a line of plain text that stands without an end', () => {
  const say = (translator: Translator, ...calls: readonly (readonly ['part' | 'line', string])[]): string =>
    calls
      .flatMap(([kind, text]) => translator[kind]?.(text) ?? [])
      .map((event) => (event.type === 'text' ? event.text : ''))
      .join('|');

  it('is told as far as it has come, and the rest of it later', () => {
    expect(say(createTextTranslator('x'), ['part', '.'], ['part', '...'], ['line', '.... done'], ['line', 'next'])).toBe(
      '.|..|. done\n|next\n',
    );
  });

  it('is kept back while it may be the beginning of an echo of the prompt', () => {
    expect(say(createTextTranslator('Do it now'), ['part', '> Do'], ['line', '> Do it now'], ['part', 'Done'], ['line', 'Done.'])).toBe(
      'Done|.\n',
    );
  });

  it('is kept back while it is overwritten again and again, and where its escape code is not whole', () => {
    expect(say(createTextTranslator('x'), ['part', '10 %\r20 %'], ['line', '10 %\r20 %\r30 %'])).toBe('30 %\n');
    expect(say(createTextTranslator('x'), ['part', 'a\u001b[3'], ['part', 'a\u001b[31mb'], ['line', 'a\u001b[31mb\u001b[0m'])).toBe(
      'a|b|\n',
    );
  });

  it('amounts to the same text, however often it stands still', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', ' ', '>', '\u001b[1m', 'D', 'o', 'é'), maxLength: 12 }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.nat(12)), (texts, stops) => {
        const calls = texts.flatMap((line) => {
          const [first = 0, second = 0] = [stops.next().value, stops.next().value].sort((a, b) => a - b);
          return [
            ...[first, second].filter((at) => at > 0 && at < line.length).map((at) => ['part', line.slice(0, at)] as const),
            ['line', line] as const,
          ];
        });
        const joined = (kinds: typeof calls): string => say(createTextTranslator('Do'), ...kinds).replaceAll('|', '');
        const trim = (text: string): string => text.replace(/[ ]+\n/g, '\n');
        expect(trim(joined(calls))).toBe(trim(joined(calls.filter(([kind]) => kind === 'line'))));
      }),
    );
  });
});

function filter(prompt: string, output: string): string {
  const echo = createEchoFilter(prompt);
  const lines = output.split('\n').flatMap((line) => [...echo.line(line)]);
  return [...lines, ...echo.end()].join('\n');
}

const PROMPT = 'You are the builder.\n\nDo one task.\nLOOP_COMPLETE\n';

describe('createEchoFilter', () => {
  it('removes the prompt where the output repeats it', () => {
    expect(filter(PROMPT, `banner\n${PROMPT.trimEnd()}\nI am done.`)).toBe('banner\nI am done.');
  });

  it.each([
    ['> ', '> You are the builder.\n>\n> Do one task.\n> LOOP_COMPLETE'],
    ['user: (first line only)', 'user: You are the builder.\n\nDo one task.\nLOOP_COMPLETE'],
    ['user: (indented)', 'user: You are the builder.\n\n      Do one task.\n      LOOP_COMPLETE'],
    ['bars', '│ You are the builder.\n│ \n│ Do one task.\n│ LOOP_COMPLETE'],
    ['white space at line ends', 'You are the builder.  \n \nDo one task.\t\nLOOP_COMPLETE'],
  ])('removes it with marks: %s', (_name, echo) => expect(filter(PROMPT, `${echo}\nDone.`)).toBe('Done.'));

  it('removes it each time', () => {
    expect(filter('a\nb', 'a\nb\nx\na\nb')).toBe('x');
  });

  it('keeps a part of the prompt, and what only looks like one', () => {
    expect(filter(PROMPT, 'You are the builder.\n\nDone.')).toBe('You are the builder.\n\nDone.');
    expect(filter(PROMPT, 'LOOP_COMPLETE')).toBe('LOOP_COMPLETE');
    expect(filter('fix the tests', 'I will fix the tests')).toBe('I will fix the tests');
  });

  it('finds an echo that begins inside a broken one', () => {
    expect(filter('a\na\nb', 'a\na\na\nb\nc')).toBe('a\nc');
  });

  it('gives back what it held when the output ends', () => {
    expect(filter(PROMPT, 'You are the builder.\n\nDo one task.')).toBe('You are the builder.\n\nDo one task.');
  });

  it('filters nothing for an empty prompt', () => {
    expect(filter(' \n', '\n \nx')).toBe('\n \nx');
  });

  const line = fc.constantFrom('a', 'b', '', 'c d', '> a');
  const text = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

  it('changes nothing in an output without the prompt', () => {
    fc.assert(
      fc.property(text, (output) => {
        expect(filter('never\nsaid', output)).toBe(output);
      }),
    );
  });

  it('leaves nothing of an output that is the prompt', () => {
    fc.assert(
      fc.property(
        text.filter((prompt) => prompt.trim() !== ''),
        (prompt) => {
          expect(filter(prompt, prompt).trim()).toBe('');
        },
      ),
    );
  });

  it('only ever removes whole lines, in order', () => {
    fc.assert(
      fc.property(text, text, (prompt, output) => {
        const rest = output.split('\n');
        for (const kept of filter(prompt, output).split('\n')) {
          const index = rest.indexOf(kept);
          expect(index === -1 && kept !== '').toBe(false);
          rest.splice(0, index + 1);
        }
      }),
    );
  });

  it('is not slowed down by an output made to match almost', () => {
    const prompt = `${'a\n'.repeat(20_000)}b`;
    const echo = createEchoFilter(prompt);
    let count = 0;
    for (let index = 0; index < 60_000; index += 1) count += echo.line('a').length;
    count += echo.end().length;
    expect(count).toBe(60_000);
  });
});

it.each([
  ['\u001b[1;32mgreen\u001b[0m text', 'green text'],
  ['\u001b[38;2;1;2;3mx\u001b[39m', 'x'],
  ['\u001b]0;title\u0007words', 'words'],
  ['\u001b]8;;https://x.y\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b[2K\u001b[1Gdone', 'done'],
  ['\u001b(Bplain\u001b7', 'plain'],
  ['\u009b31mred', 'red'],
  ['10%\r50%\r100%', '100%'],
  ['thinking\r', 'thinking'],
  ['bell\u0007 and null\u0000', 'bell and null'],
  ['tab\tstays, ünïcode 🙂 too', 'tab\tstays, ünïcode 🙂 too'],
  ['', ''],
  [' \t ', ''],
])('%j is read as %j', (line, plain) => expect(toSeenLine(line)).toBe(plain));
