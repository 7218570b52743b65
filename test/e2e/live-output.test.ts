import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start, withFolder } from './ralph.ts';

/** Each time it has said something it works on until it may say more: were its words held back, it would end with exit code 9. */
const WAIT = 'for i in $(seq 1 600); do [ -e go-$n ] && break; sleep 0.05; done; [ -e go-$n ] || exit 9';
const ROUNDS = [1, 2, 3];

const WAITING_AGENT = `#!/bin/sh
for n in ${ROUNDS.join(' ')}; do echo "words $n"; ${WAIT}; done
[ "$RALPH_HAT" = builder ] && echo '{"topic":"build.done"}' >> "$RALPH_EVENTS_FILE" || echo LOOP_COMPLETE
`;

/** The same without an end of line behind its words. */
const OPEN_LINE_AGENT = WAITING_AGENT.replace('echo "words $n"', 'printf "words $n "').replace('echo LOOP', 'printf "\\n"; echo LOOP');

/** The same, in pieces of claude's stream. */
const STREAMING_AGENT = `#!/bin/sh
line() { printf '%s\\n' "$1"; }
delta() { line "{\\"type\\":\\"stream_event\\",\\"event\\":{\\"type\\":\\"content_block_delta\\",\\"index\\":0,\\"delta\\":{\\"type\\":\\"text_delta\\",\\"text\\":\\"$1\\"}}}"; }
line '{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[]}'
line '{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","role":"assistant","content":[]}}}'
for n in ${ROUNDS.join(' ')}; do delta "words $n\\\\n"; ${WAIT}; done
delta 'LOOP_COMPLETE'
line '{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"words 1\\nwords 2\\nwords 3\\nLOOP_COMPLETE"}]}}'
line '{"type":"result","subtype":"success","is_error":false,"result":"LOOP_COMPLETE","session_id":"s","total_cost_usd":0.1}'
`;

const CONFIG = 'cli: { backend: custom, command: ./agent.sh, output_format: FORMAT }\nevent_loop: { max_consecutive_failures: 1 }\n';

interface Spoken {
  readonly kind: string;
  readonly type?: string;
  readonly hat?: string;
  readonly text?: string;
}

describe('CLI output', () => {
  test.each([
    ['plain text', 'text', WAITING_AGENT],
    ['plain text without an end of line', 'text', OPEN_LINE_AGENT],
    ["pieces of a CLI's own stream", 'stream', STREAMING_AGENT],
  ])('streams to stdout in real-time while the hat executes: %s', async (_name, format, agent) => {
    await withFolder({ 'ralph.yml': CONFIG.replace('FORMAT', format), 'agent.sh': agent }, async (folder) => {
      const run = start(folder, ['run', '-p', 'Speak.', '--no-tui']);
      for (const round of ROUNDS) {
        await run.says(`words ${round}`);
        expect(run.child.exitCode).toBeNull();
        writeFileSync(join(folder, `go-${round}`), '');
      }
      const { code, stdout } = await run.done;
      expect(code).toBe(0);
      // Each once, and in order.
      expect(stdout.match(/words \d/g)).toEqual(ROUNDS.map((round) => `words ${round}`));
    });
  });

  test('streams in real-time for machines and for a hat that has pending events, too', async () => {
    const files = {
      'ralph.yml': `${CONFIG.replace('FORMAT', 'text')}hats: { builder: { triggers: [task.start, task.resume], publishes: [LOOP_COMPLETE] } }\n`,
      'agent.sh': WAITING_AGENT,
    };
    await withFolder(files, async (folder) => {
      const run = start(folder, ['run', '-p', 'Speak.', '--format', 'ndjson', '--max-iterations', '1']);
      for (const round of ROUNDS) {
        await run.says(`"words ${round}`);
        expect(run.child.exitCode).toBeNull();
        writeFileSync(join(folder, `go-${round}`), '');
      }
      const { code, stdout } = await run.done;
      expect(code).toBe(2);
      const said = readJsonLines<Spoken>(stdout).filter((record) => record.kind === 'live' && record.type === 'text');
      expect(new Set(said.map((record) => record.hat))).toEqual(new Set(['builder']));
      expect(said.map((record) => record.text).join('')).toBe('words 1\nwords 2\nwords 3\n');
    });
  });
});

test('a CLI failure is logged with its error, and an `error.cli` event is published', async () => {
  const files = {
    'ralph.yml': CONFIG.replace('FORMAT', 'text'),
    'agent.sh': '#!/bin/sh\necho "the license has expired" >&2\nexit 7\n',
  };
  await withFolder(files, async (folder) => {
    const { code, stdout } = await ralph(folder, ['run', '-p', 'Speak.', '--no-tui']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/the license has expired/);
    expect(stdout).toMatch(/error\.cli/);
    const { stdout: events } = await ralph(folder, ['events', '--topic', 'error.cli', '--format', 'json']);
    expect(readJsonLines<{ source: string; payload: unknown }>(events)).toMatchObject([
      { source: 'system', payload: { hat: 'ralph', message: expect.stringContaining('the license has expired') } },
    ]);
  });
});
