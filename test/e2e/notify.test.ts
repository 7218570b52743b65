/** News of a run reach a command and an address. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

interface Got {
  readonly signature: string;
  readonly text: string;
}

async function withServer(test: (port: number, got: readonly Got[]) => Promise<void>): Promise<void> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += String(piece);
    });
    request.on('end', () => {
      got.push({ signature: String(request.headers['x-ralph-signature']), text });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await test((server.address() as AddressInfo).port, got);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const toConfig = (port: number): string => `
gates: []
event_loop: {prompt: Build it, max_iterations: 5}
notify:
  command: echo "$RALPH_EVENT" >> told
  url: http://127.0.0.1:${port}/news
  on: [near_limit, ended]
  secret: \${SAMPLE_SECRET}
`;
const BODY = 'n=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > count; [ $n -lt 5 ] || echo LOOP_COMPLETE';
const ENV = { SAMPLE_SECRET: 'a-sample-secret-of-nobody' };

test('a command and an address are told that a limit is near, and of the end, once each, signed', async () => {
  await withServer(async (port, got) => {
    await withPlace(toFiles(toConfig(port), BODY, {}), async (folder) => {
      const tried = await ralph(folder, ['notify', 'test'], ENV);
      expect([tried.code, tried.stdout]).toEqual([0, 'Told, as of "near_limit".\n']);
      const run = await ralph(folder, ['run', '--no-tui'], ENV);
      expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('could not be told')]);
      expect(readFileSync(join(folder, 'told'), 'utf8')).toBe('near_limit\nnear_limit\nended\n');
      const bodies = got.map(({ text }) => JSON.parse(text));
      expect(bodies.map(({ event, runId, reason }) => [event, runId === 'test', reason])).toEqual([
        ['near_limit', true, null],
        ['near_limit', false, null],
        ['ended', false, 'completed'],
      ]);
      for (const { signature, text } of got)
        expect(signature).toBe(`sha256=${createHmac('sha256', ENV.SAMPLE_SECRET).update(text).digest('hex')}`);
      const stored = readFileSync(join(folder, '.ralph/runs', bodies[2].runId, 'settings.json'), 'utf8');
      expect(stored).not.toContain(ENV.SAMPLE_SECRET);
    });
  });
});

test('who cannot be told is named behind the end, and nobody is an error of the test', async () => {
  await withPlace(toFiles(toConfig(1), BODY, { 'none.yml': 'gates: []\n' }), async (folder) => {
    const run = await ralph(folder, ['run', '--no-tui'], ENV);
    expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/http:\/\/127\.0\.0\.1:1 could not be told the news \(/)]);
    const nobody = await ralph(folder, ['notify', 'test', '-c', 'none.yml'], ENV);
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('No notifications are configured here.')]);
    const failed = await ralph(folder, ['notify', 'test'], ENV);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('could not be told the news')]);
  });
});
