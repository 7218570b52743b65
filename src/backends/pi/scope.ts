import { join } from 'node:path';
import { mayWork } from '../../core/tools/tool-profiles.ts';
import { listed, valued, withoutFlags } from '../describe/flags.ts';
import type { AttachedTool, CliScope, EmitAttachOrder, ScopeOrder, ServerToolText } from '../describe/scope-plan.ts';
import { GIT_LOOKS, NO_ATTACHED_TOOL } from '../describe/scope-plan.ts';

const LIFTING = [listed('--tools'), valued('-e', '--extension')];
const GUARD = 'pi-guard.mjs';
const ALLOWED = 'RALPH_PI_COMMANDS';

/** The longest output that is handed to the model. */
const OUTPUT_CHARS = 30_000;

/**
 * An extension of pi whose `bash` stands in the place of pi's own and runs whole command lines of a list alone. pi's own would put
 * `shellCommandPrefix` of the project's settings before them.
 */
const GUARD_TEXT = `// Runs only listed command lines. Written by Ralph for one turn.
import { spawn } from 'node:child_process';

const allowed = JSON.parse(process.env.${ALLOWED} ?? '[]');
const words = 'Run one of these command lines, exactly as it stands: ' + allowed.join(' | ');
const parameters = { type: 'object', properties: { command: { type: 'string', enum: allowed } }, required: ['command'] };

function run(command, cwd, signal) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', '--', command], { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const take = (bytes) => { text = (text + bytes).slice(-${OUTPUT_CHARS}); };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => resolve({ text: text + error.message, code: 1 }));
    child.on('close', (code) => resolve({ text, code }));
  });
}

export default (pi) => {
  pi.registerTool({
    name: 'bash', label: 'bash', description: words, parameters,
    async execute(_id, params, signal, _onUpdate, ctx) {
      const command = typeof params?.command === 'string' ? params.command.trim() : '';
      if (!allowed.includes(command)) throw new Error('This hat may run only: ' + allowed.join(', '));
      const { text, code } = await run(command, ctx?.cwd ?? process.cwd(), signal);
      // What a tool throws is what its model reads as an error.
      if (code !== 0) throw new Error(text + '\\n\\nCommand exited with code ' + code);
      return { content: [{ type: 'text', text }], details: {} };
    },
  });
};
`;

/** pi: a list of tools; it has no permissions, so its shell is one of ours. It may fetch no packages that the project names. */
export function scopePi(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  if (mayWork(may)) return { ...toExtra(order), args: [...order.args, ...(attach?.args ?? [])], permissions: order.permissions };
  const commands = toCommands(order);
  const isGuarded = !may.mayRunShell && commands.length > 0;
  const tools = [
    ...(may.mayRead ? ['read', 'grep', 'find', 'ls'] : []),
    ...(may.mayWrite ? ['edit', 'write'] : []),
    ...(may.mayRunShell || isGuarded ? ['bash'] : []),
    ...(attach?.allow ?? []),
  ];
  const extra = toExtra(order);
  return {
    args: [
      ...withoutFlags(order.args, LIFTING),
      '--no-extensions',
      ...(isGuarded ? ['-e', join(order.folder, GUARD)] : []),
      ...(attach?.args ?? []),
      ...(tools.length === 0 ? ['--no-tools'] : ['--tools', tools.join(',')]),
    ],
    env: { ...extra.env, PI_OFFLINE: '1', ...(isGuarded ? { [ALLOWED]: JSON.stringify(commands) } : {}) },
    files: [...extra.files, ...(isGuarded ? [{ path: GUARD, content: GUARD_TEXT }] : [])],
    permissions: 'default',
    limits: may.mayWeb ? ['pi has no web tools.'] : [],
  };
}

function toExtra({ attach }: ScopeOrder): Required<Pick<CliScope, 'env' | 'files'>> {
  return { env: attach?.env ?? {}, files: attach?.files ?? [] };
}

function toCommands({ may, qualityCommands, isConfined }: ScopeOrder): readonly string[] {
  const own = may.mayRunQuality ? qualityCommands : [];
  return [...own, ...(may.mayGitRead && (isConfined || own.length > 0) ? GIT_LOOKS : [])];
}

/** What is called by a command; the others have none that an agent could call. */
const CALLED: ReadonlySet<ServerToolText['name']> = new Set(['emit_event', 'ask_person', 'new_answer', 'vote']);

/** pi speaks no MCP: an extension registers the tools and calls `ralph emit`, `ralph ask` and, in a panel, `ralph panel`. */
export function attachPi({ tools, folder }: EmitAttachOrder): AttachedTool {
  const called = tools.filter(({ name }) => CALLED.has(name));
  return {
    ...NO_ATTACHED_TOOL,
    args: ['-e', join(folder, EXTENSION)],
    files: [{ path: EXTENSION, content: toExtension(called) }],
    allow: called.map(({ name }) => name),
  };
}

/** In a folder that a sandbox shows as a whole. */
const EXTENSION = 'emit/pi-emit.mjs';

/** An extension of pi that registers tools of Ralph's server. It calls the command `ralph`, which finds the turn in the environment. */
function toExtension(tools: readonly ServerToolText[]): string {
  const texts = tools.map(({ name, description, inputSchema }) => ({ name, label: name, description, parameters: inputSchema }));
  return `// Publishes the events of a hat, asks people where it may, hands in for an agent of a panel. Written by Ralph for one turn.
import { execFile } from 'node:child_process';

const TOOLS = ${JSON.stringify(texts)};

function ralph(args, input = '') {
  return new Promise((resolve, reject) => {
    const child = execFile(process.env.RALPH_BIN ?? 'ralph', args, (error, stdout, stderr) => {
      // What a tool throws is what its model reads as an error.
      if (error) reject(new Error((stderr || error.message).trim()));
      else resolve({ said: stdout.trim(), noted: stderr.trim() });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

const CALLS = {
  async emit_event({ topic, payload = '', target }) {
    const isText = typeof payload === 'string';
    const words = ['--', String(topic), isText ? payload : JSON.stringify(payload)];
    return (await ralph(['emit', ...(isText ? [] : ['--json']), ...(target ? ['--target', String(target)] : []), ...words])).said;
  },
  async ask_person({ question, choices, default: fallback, deadline_seconds: seconds }) {
    const list = (Array.isArray(choices) && choices.length > 0 ? choices : ['yes', 'no']).map(String);
    if (list.some((choice) => choice.includes(','))) throw new Error('A choice must hold no comma.');
    const more = [...(fallback ? ['--default=' + fallback] : []), ...(seconds ? ['--deadline=' + Number(seconds)] : [])];
    const { said, noted } = await ralph(['ask', '--choices=' + list.join(','), ...more, '--', String(question)]);
    return (noted === '' ? 'A person answered: ' : 'Nobody answered, so your default counts: ') + said;
  },
  async new_answer({ content = '', topic }) {
    return (await ralph(['panel', 'answer', ...(topic ? ['--topic=' + topic] : []), '-'], String(content))).said;
  },
  async vote({ agent_id: agent, reason = '' }) {
    return (await ralph(['panel', 'vote', '--', String(agent), String(reason)])).said;
  },
};

export default (pi) => {
  for (const tool of TOOLS) {
    pi.registerTool({
      ...tool,
      async execute(_id, params) {
        return { content: [{ type: 'text', text: await CALLS[tool.name](params ?? {}) }], details: {} };
      },
    });
  }
};
`;
}
