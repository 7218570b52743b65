/** Seed 002, the flow of an injection: through the four wire formats, with the real libraries, an agent at work is told of another's answer. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/mock-model/index.ts';
import { PROVIDERS } from './providers.ts';
import { ralph, withFolder } from './ralph.ts';

/** Ids that nobody would use by chance, one of which is the beginning of another. */
const [AUTHOR, VIEWER] = ['zebulon', 'zebulon-second'];

function toFiles(backend: string): Record<string, string> {
  return {
    'ralph.yml': `
event_loop: {prompt: Write output.txt, max_iterations: 2}
gates: []
hats:
  writer:
    profile: creator
    triggers: [task.start, task.resume]
    publishes: [task.complete]
    panel:
      first_injection: mid_stream
      agents:
        - {id: ${AUTHOR}, backend: {type: native, provider: scripted, script: model.yml}}
        - {id: ${VIEWER}, backend: ${backend}}
`,
    'model.yml': `
hats:
  ${AUTHOR}:
    - steps:
        - calls: [{tool: write_file, args: {path: output.txt, content: "made by the first\\n"}}]
        - calls: [{tool: bash, args: {command: "echo I created the file at $PWD/output.txt"}}]
        - delay_ms: 600
          calls: [{tool: new_answer, args: {content: "I, ${AUTHOR}, created the file output.txt."}}]
    - steps:
        - calls: [{tool: vote, args: {agent_id: agent1, reason: "It is there."}}]
    - steps:
        - calls: [{tool: vote, args: {agent_id: agent1, reason: "It is there."}}]
`,
  };
}

/** A slow model: it looks around until it is told of an answer, reads the work behind it, answers, and votes. */
async function startSlowModel(read: string[]): Promise<ModelServer> {
  const server: ModelServer = await startModelServer({
    handler: () => {
      const body = server.requests.at(-1)?.body ?? '';
      const [, folder] = /its work, to read: `([^`]+)`/.exec(body) ?? [];
      if (body.includes('Vote for the best answer'))
        return { calls: [{ tool: ['vote'], args: { agent_id: 'agent1', reason: 'It is there.' }, isForced: true }] };
      if (folder !== undefined) {
        // It is told from the folder in which it works.
        const [, cwd = ''] = /- folder: (.*?)\\n/.exec(body) ?? [];
        const path = join(cwd, folder, 'output.txt');
        read.push(existsSync(path) ? readFileSync(path, 'utf8') : `${path} is not there`);
        return { calls: [{ tool: ['new_answer'], args: { content: 'I looked at it.' }, isForced: true }] };
      }
      // Each time another folder: who does the same again and again is stopped.
      return { delayMs: 300, calls: [{ tool: ['list_files'], args: { path: '.', limit: server.requests.length + 5 }, isForced: true }] };
    },
  });
  return server;
}

/** The messages of a request, whatever it calls them, without marks for the cache. */
function readMessages(body: string): readonly unknown[] {
  const { messages, input, contents } = JSON.parse(body, (key, value) => (key === 'cache_control' ? undefined : value));
  return messages ?? input ?? contents;
}

test.each(PROVIDERS)(
  'through %s an agent in the midst of its work gets one update, keeps what it has done, can read the files, and learns no name',
  async (kind, path, model) => {
    const read: string[] = [];
    const server = await startSlowModel(read);
    try {
      const backend = `{type: native, provider: ${kind}, model: ${model}, base_url: "${server.url}${path}"}`;
      await withFolder(toFiles(backend), async (folder) => {
        const run = await ralph(folder, ['run', '--no-tui']);
        expect([run.code, run.stdout + run.stderr]).toEqual([0, expect.stringContaining('won with')]);
        const bodies = server.requests.map(({ body }) => body);
        const told = bodies.findIndex((body) => body.includes('[UPDATE: agent'));
        expect(told).toBeGreaterThan(0);
        expect(read[0]).toBe('made by the first\n');
        for (const body of bodies) {
          expect(body.split('[UPDATE: agent').length - 1).toBeLessThanOrEqual(1);
          expect(body).not.toContain('zebulon');
        }
        // What stood before stands as it was, and the update comes behind it.
        const before = readMessages(bodies[told - 1] ?? '');
        const after = readMessages(bodies[told] ?? '');
        expect(after.slice(0, before.length)).toEqual(before);
        expect(JSON.stringify(after.slice(before.length))).toContain('created the file output.txt.');
      });
    } finally {
      await server.close();
    }
  },
);
