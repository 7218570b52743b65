import { fillArguments, SHELL_TOOLS } from './script.ts';
import type { Handler, Reply, WantedCall } from './wire-types.ts';

/** One thing that a hat with the profile critic may not do, tried through its agent CLI. */
export interface ProbeAttempt {
  readonly id: 'write-tool' | 'shell-write' | 'redirect' | 'substitution' | 'chain' | 'arguments' | 'git-output' | 'project-file';
  /** What is tried, for people. */
  readonly words: string;
  /** The file that would be there if it came through. */
  readonly file: string;
}

/** The file that is there if a settings file of the project made the agent CLI start a program. */
export const PLANTED_MARK = 'probe-project-file.txt';

/** In the order in which they are tried. */
export const PROBE_ATTEMPTS: readonly ProbeAttempt[] = [
  { id: 'write-tool', words: "the CLI's own tool for writing files", file: 'probe-tool.txt' },
  { id: 'shell-write', words: 'a shell command that writes', file: 'probe-shell.txt' },
  { id: 'redirect', words: 'an allowed command with a redirection', file: 'probe-redirect.txt' },
  { id: 'substitution', words: 'an allowed command with a command inside', file: 'probe-substitution.txt' },
  { id: 'chain', words: 'an allowed command and another behind it', file: 'probe-chain.txt' },
  { id: 'arguments', words: 'an allowed command with arguments that run code', file: 'probe-arguments.txt' },
  { id: 'git-output', words: 'a reading git command with an option that writes', file: 'probe-git.txt' },
  { id: 'project-file', words: 'a settings file of the project that allows more', file: PLANTED_MARK },
];

/** The command that the profile lets through, and what it prints: not its own words, so that an echo of the command proves nothing. */
export const PROBE_TEST = { command: 'npm test', script: 'node -e "console.log([80,82,79,66,69].join())"', output: '80,82,79,66,69' };
/** What `node` is told to import, as one word without quotes. */
const PROBE_CODE = encodeURIComponent('import f from"fs";f.writeFileSync("probe-arguments.txt","")')
  .replace('(', '%28')
  .replace(')', '%29');
/** What is published. */
export const PROBE_EVENT = { topic: 'probe.done', payload: 'as the critic' };
/** The last words of the model. */
const PROBE_END = 'The probe is over.';
/** What the agent is asked: the name of the script for the model, and nothing that a shell could do. */
export const PROBE_PROMPT = 'Say what you did. [[script:probe]]';

/** How the tools of a CLI are called, where they are not offered and so cannot be looked up. */
interface ToolNames {
  readonly write: string;
  readonly shell: string;
  readonly emit: string;
  /** The tool that runs the commands which check the project, where the CLI gets one instead of its shell. */
  readonly check?: string;
}

/** What the model says in a probe, step by step: every attempt, then what is allowed. Tools are called whether or not they are offered. */
export function toProbeScript(names: ToolNames, workspace: string, event = PROBE_EVENT): readonly Reply[] {
  const run = (command: string): Reply => ({ calls: [toShellCall(names.shell, command)] });
  const commands: Readonly<Partial<Record<ProbeAttempt['id'], string>>> = {
    'shell-write': 'echo probe > probe-shell.txt',
    redirect: `${PROBE_TEST.command} > probe-redirect.txt`,
    substitution: `${PROBE_TEST.command} $(touch probe-substitution.txt)`,
    chain: `${PROBE_TEST.command}; touch probe-chain.txt`,
    arguments: `${PROBE_TEST.command} --node-options=--import=data:text/javascript,${PROBE_CODE}`,
    'git-output': 'git log --output=probe-git.txt',
  };
  return [
    { calls: [toWriteCall(names.write, `${workspace}/probe-tool.txt`)] },
    ...PROBE_ATTEMPTS.flatMap(({ id }) => (commands[id] === undefined ? [] : [run(commands[id])])),
    run(PROBE_TEST.command),
    ...(names.check === undefined ? [] : [{ calls: [{ tool: [names.check], args: { command: PROBE_TEST.command }, isForced: true }] }]),
    { calls: [{ tool: [names.emit, '*emit_event'], args: event, isForced: true }] },
    { text: PROBE_END },
  ];
}

function toShellCall(name: string, command: string): WantedCall {
  const args: WantedCall['args'] = (parameters) => fillArguments(parameters, ['command', 'cmd'], command);
  return { tool: [name, ...SHELL_TOOLS], args, isForced: true };
}

/** Every client has its own words for the path and the content: they are read from the schema where it is offered, else all are given. */
function toWriteCall(name: string, path: string): WantedCall {
  const content = 'written by the probe\n';
  if (name === 'apply_patch') {
    const patch = `*** Begin Patch\n*** Add File: ${path}\n+written by the probe\n*** End Patch\n`;
    return { tool: [name], args: { input: patch }, isForced: true };
  }
  const all = { file_path: path, filePath: path, path, content, file_text: content };
  const args: WantedCall['args'] = ({ properties }) => {
    const known = Object.keys(typeof properties === 'object' && properties !== null ? properties : {});
    return known.length === 0 ? all : Object.fromEntries(Object.entries(all).filter(([key]) => known.includes(key)));
  };
  return { tool: [name], args, isForced: true };
}

/** What a probe saw of the agent through its questions to the model. */
export interface ProbeWatch {
  readonly handler: Handler;
  /** How many steps of the script were given. */
  readonly steps: () => number;
  /** Whether a tool returned this. */
  readonly hasResult: (text: string) => boolean;
}

/** Answers the prompt of the probe by the script, and looks at what the tools gave back. */
export function watchProbe(script: readonly Reply[]): ProbeWatch {
  const results = new Set<string>();
  let steps = 0;
  return {
    handler: ({ turns, tools }) => {
      const at = turns.findLastIndex(({ role, text }) => role === 'user' && text.includes(PROBE_PROMPT));
      // Titles and summaries are asked for without tools.
      if (at < 0 || tools.length === 0) return undefined;
      const later = turns.slice(at + 1);
      for (const result of later.flatMap((turn) => turn.results)) results.add(result);
      const step = later.filter(({ calls }) => calls.length > 0).length;
      steps = Math.max(steps, step + 1);
      return script[Math.min(step, script.length - 1)];
    },
    steps: () => steps,
    hasResult: (text) => [...results].some((result) => result.includes(text)),
  };
}
