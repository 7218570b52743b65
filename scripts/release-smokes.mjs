/** One call of each command that shows that it works where it is installed. A command of `ralph help all` that is not here fails the check. */
const AGENT = '#!/bin/sh\n"$RALPH_BIN" emit note.taken x\necho LOOP_COMPLETE\n';
const CONFIG = 'cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: 2 }\n';
const TEAM = `cli: { backend: custom, command: ./agent.sh }
hats:
  worker: { description: Works., triggers: [task.start, task.resume], publishes: [work.done] }
  checker: { description: Checks., triggers: [work.done], publishes: [LOOP_COMPLETE] }
`;
const NATIVE = 'cli: { backend: { type: native, provider: anthropic, model: claude-sonnet-4-5 } }\n';

/**
 * @param {(name: string, files: Record<string, string>) => string} makeFolder
 * @param {string} major of Node.js
 * @returns {{ args: string[], cwd: string, exitCode?: number, says?: string, env?: Record<string, string> }[]} in order
 */
export function listSmokes(makeFolder, major) {
  const project = makeFolder(`project${major}`, { 'ralph.yml': CONFIG, 'agent.sh': AGENT });
  const team = makeFolder(`team${major}`, { 'ralph.yml': TEAM, 'agent.sh': AGENT });
  const empty = makeFolder(`empty${major}`, {});
  const native = makeFolder(`native${major}`, { 'ralph.yml': NATIVE });
  const at =
    (cwd) =>
    (args, rest = {}) => ({ args, cwd, ...rest });
  const [here, there, fresh] = [at(project), at(team), at(empty)];
  return [
    here(['run', '-p', 'x'], { says: 'Completed' }),
    here(['status']),
    here(['runs']),
    here(['show']),
    here(['events']),
    here(['panel', 'show'], { exitCode: 1, says: 'has had no panel' }),
    here(['review']),
    here(['report', '-o', '-'], { says: '<!doctype html>' }),
    here(['watch'], { says: 'Completed' }),
    here(['web', '--listen', '192.0.2.1'], { exitCode: 2, says: '--token-file' }),
    here(['worker', '--nats', 'http://x'], { exitCode: 2, says: 'nats://host:4222' }),
    here(['fleet', '--nats', 'nats://127.0.0.1:1'], { exitCode: 1, says: 'There is no fleet at' }),
    here(['fleet', 'up', '--nats', 'nats://127.0.0.1:1'], { exitCode: 1, says: 'ralph fleet up' }),
    here(['tell', 'x', '--fleet', 'nats://127.0.0.1:1'], { exitCode: 1, says: 'There is no fleet at' }),
    here(['watch', '--fleet', 'nats://127.0.0.1:1'], { exitCode: 1, says: 'There is no fleet at' }),
    here(['undo'], { exitCode: 1, says: 'snapshots of git' }),
    here(['land'], { exitCode: 1, says: 'nothing to land' }),
    here(['pr', '--dry-run'], { exitCode: 1, says: 'no branch of its own' }),
    here(['queue', 'list']),
    here(['config', 'show']),
    here(['ps']),
    here(['reap']),
    here(['doctor'], { says: 'Node.js' }),
    here(['gates'], { says: 'No gate is configured' }),
    here(['worktrees']),
    here(['stop'], { exitCode: 1, says: 'No run is under way' }),
    here(['resume'], { says: 'has ended' }),
    here(['token']),
    here(['emit', 'note.taken', 'x'], { exitCode: 1, says: 'is complete' }),
    here(['tell', 'x'], { exitCode: 1, says: 'is complete' }),
    here(['asks'], { says: 'asks nothing' }),
    here(['notify', 'test'], { exitCode: 1, says: 'Nobody is told' }),
    here(['answer', 'yes'], { exitCode: 1, says: 'is complete' }),
    here(['ask', 'x'], { exitCode: 2, says: 'no turn of a run' }),
    here(['mcp'], { exitCode: 2, says: 'no turn of an agent' }),
    here(['clean', '--keep', '0']),
    there(['validate']),
    there(['graph']),
    there(['hats']),
    there(['trace', 'task.start']),
    there(['simulate', '--runs', '5'], { says: 'simulated runs complete' }),
    there(['explain', 'event-orphan'], { says: 'event-orphan' }),
    there(['tools']),
    there(['hooks']),
    fresh(['presets'], { says: 'feature' }),
    fresh(['init', '--task', 'Mend it.']),
    there(['migrate', 'ralph.yml'], { says: 'current Ralph configuration' }),
    fresh(['completions', 'bash'], { says: 'ralph' }),
    fresh(['demo', '-q'], { says: 'Completed' }),
    at(native)(['run', '-p', 'x'], { exitCode: 1, says: '@ai-sdk/anthropic', env: { ANTHROPIC_API_KEY: 'not-a-real-key' } }),
  ];
}
