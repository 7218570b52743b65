/** Profiles as a user meets them: the native agent with a scripted model, real tools and a real MCP server. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ralph, readJsonLines, withFolder } from './ralph.ts';

const SERVER = fileURLToPath(new URL('../contract/agents/mcp-server.mjs', import.meta.url));

/** A maker and a critic; the critic's profile is what the tests change. */
function toConfig(profile: string): string {
  return `
event_loop: {prompt: Make a file, coordinator: hats}
cli: {backend: {type: native, provider: scripted, script: script.yml}}
mcp_servers:
  docs: {command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(SERVER)}, good]}
  broken: {command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(SERVER)}, exits]}
profiles:
  reader: {extends: critic, allow: ["mcp:*"], exempt: ["mcp:*"]}
hats:
  maker: {triggers: [task.start], publishes: [work.done], profile: creator}
  critic: {triggers: [work.done, task.resume], publishes: [LOOP_COMPLETE], profile: ${profile}}
`;
}

const MAKER = `
  maker:
    - steps:
        - calls: [{tool: write_file, args: {path: made.txt, content: made}}]
        - calls: [{tool: emit_event, args: {topic: work.done}}]
        - text: Made.
`;

/** The reader may not write, and its script says so: a step that was offered anything else fails the turn. */
const READER = `
  critic:
    - steps:
        - expect: {tools: [read_file, run_tests, mcp__docs__find], no_tools: [write_file, bash]}
          calls:
            - {tool: write_file, args: {path: sneaked.txt, content: no}}
            - {tool: bash, args: {command: echo no > sneaked.txt}}
            - {tool: mcp__docs__find, args: {text: the page}}
        - expect: {results: [write_file is not among the tools of this hat, bash is not among the tools, found the page]}
          calls: [{tool: read_file, args: {path: made.txt}}]
        - expect: {results: made}
          calls: [{tool: list_runtimes}, {tool: mcp__docs__find, args: {text: another page}}]
        - expect: {results: found another page}
          calls: [{tool: emit_event, args: {topic: LOOP_COMPLETE}}]
        - text: Reviewed.
`;
const WRITER = `
  critic:
    - steps:
        - expect: {tools: [write_file, bash], no_tools: [mcp__docs__find]}
          calls: [{tool: write_file, args: {path: reviewed.txt, content: yes}}]
        - calls: [{tool: emit_event, args: {topic: LOOP_COMPLETE}}]
        - text: Reviewed.
`;

interface Line {
  readonly type: string;
  readonly code?: string;
  readonly text?: string;
  readonly tools?: number;
}

/** What a run told of changes of the hat, and how many tools were recorded for each turn. */
function readSwitches(stdout: string): { readonly told: readonly string[]; readonly recorded: readonly (number | undefined)[] } {
  const lines = readJsonLines<Line>(stdout);
  return {
    told: lines.flatMap(({ type, code, text = '' }) => (type === 'notice' && code === 'hat-switched' ? [text] : [])),
    recorded: lines.flatMap(({ type, tools }) => (type === 'iteration-spawned' ? [tools] : [])),
  };
}

/** The journal of the only run. */
function readJournal(folder: string): string {
  const runs = join(folder, '.ralph/runs');
  return readdirSync(runs)
    .map((run) => readFileSync(join(runs, run, 'journal.jsonl'), 'utf8'))
    .join('');
}

test('a profile is held against every call, an MCP server lends its tools, and one that fails is only a warning', async () => {
  await withFolder({ 'ralph.yml': toConfig('reader'), 'script.yml': `hats:${MAKER}${READER}` }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--format', 'ndjson']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
    expect([existsSync(join(folder, 'made.txt')), existsSync(join(folder, 'sneaked.txt'))]).toEqual([true, false]);
    const { told, recorded } = readSwitches(stdout);
    expect(told).toEqual([`switched to maker (${recorded[0]} tools available)`, `switched to critic (${recorded[1]} tools available)`]);
    const shown = await ralph(folder, ['show', '2']);
    expect(shown.stdout).toContain('bash (echo no > sneaked.txt) by its profile');
    for (const text of told) expect(readJournal(folder)).toContain(`"log":"${text}"`);
    expect(stdout).toContain('critic: 2 uses of tools were stopped: write_file by its profile, bash by its profile');
    expect(stdout).toContain('The MCP server broken cannot be used: it ended with exit code 7: the licence file is missing.');
  });
});

test('a run that goes on after its profiles were changed is bound by the new ones (seed 000: tools update on checkpoint restore)', async () => {
  await withFolder({ 'ralph.yml': toConfig('reader'), 'script.yml': `hats:${MAKER}${WRITER}` }, async (folder) => {
    const first = await ralph(folder, ['run', '--max-iterations', '1', '--format', 'ndjson']);
    expect(first.code).toBe(2);
    writeFileSync(join(folder, 'ralph.yml'), toConfig('editor'));
    const refused = await ralph(folder, ['resume', '--max-iterations', '+5']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('hats.critic')]);
    const second = await ralph(folder, ['resume', '--accept-changes', '--max-iterations', '+5', '--format', 'ndjson']);
    expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('Error')]);
    expect(readFileSync(join(folder, 'reviewed.txt'), 'utf8')).toBe('yes');
    expect(readSwitches(second.stdout).told).toEqual([expect.stringMatching(/^switched to critic \(2\d tools available\)$/)]);
  });
});
