export interface CommandEntry {
  readonly name: CommandName;
  readonly group: CommandGroup;
  /** One line for the list of commands. */
  readonly summary: string;
}

export type CommandName =
  | 'run'
  | 'resume'
  | 'queue'
  | 'stop'
  | 'status'
  | 'watch'
  | 'runs'
  | 'web'
  | 'worker'
  | 'fleet'
  | 'worktrees'
  | 'land'
  | 'pr'
  | 'undo'
  | 'show'
  | 'review'
  | 'report'
  | 'panel'
  | 'events'
  | 'emit'
  | 'tell'
  | 'asks'
  | 'answer'
  | 'ask'
  | 'token'
  | 'notify'
  | 'mcp'
  | 'init'
  | 'presets'
  | 'validate'
  | 'config'
  | 'explain'
  | 'migrate'
  | 'graph'
  | 'hats'
  | 'tools'
  | 'hooks'
  | 'trace'
  | 'simulate'
  | 'gates'
  | 'doctor'
  | 'demo'
  | 'ps'
  | 'reap'
  | 'clean'
  | 'completions';

/** What people do with commands; `first` are those that everybody needs. */
export type CommandGroup = 'first' | 'design' | 'look' | 'publish' | 'keep';

/** Every command; within a group, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'run', group: 'first', summary: 'start a run: agents work until the task is done' },
  { name: 'resume', group: 'first', summary: 'continue a run that was stopped, was killed or reached a limit' },
  { name: 'queue', group: 'first', summary: 'queue tasks, run them one after another, see how they ended' },
  { name: 'stop', group: 'first', summary: 'stop a run that is under way in another terminal' },
  { name: 'status', group: 'first', summary: 'show what a run is doing and how far it has got' },
  { name: 'watch', group: 'look', summary: 'watch a run full-screen, look back in it, steer it' },
  { name: 'runs', group: 'look', summary: 'list the runs of this folder' },
  { name: 'web', group: 'look', summary: 'show runs in the browser, live, and steer them there' },
  { name: 'worktrees', group: 'look', summary: 'list, compare, merge and remove the worktrees of runs' },
  { name: 'review', group: 'first', summary: 'review a run: what is proven, what to read, what to do next' },
  { name: 'land', group: 'first', summary: 'merge the branch of a run once its gates pass' },
  { name: 'pr', group: 'look', summary: 'push the branch of a run and open a draft pull request' },
  { name: 'undo', group: 'first', summary: 'undo what a run changed, or redo it' },
  { name: 'show', group: 'look', summary: 'show what an agent was asked, what it said and what it changed' },
  { name: 'report', group: 'look', summary: 'write a run as one file to share: a page, or Markdown' },
  { name: 'panel', group: 'look', summary: 'show what the agents of a panel answered, and how they voted' },
  { name: 'events', group: 'look', summary: 'list the events of a run, or follow them' },
  { name: 'tell', group: 'publish', summary: 'tell the agents of a run something while they work' },
  { name: 'asks', group: 'publish', summary: 'list what agents ask you' },
  { name: 'answer', group: 'publish', summary: 'answer what an agent asks' },
  { name: 'ask', group: 'publish', summary: 'ask the people of a run and wait (agents call this)' },
  { name: 'emit', group: 'publish', summary: 'publish an event (agents call this)' },
  { name: 'token', group: 'publish', summary: 'print a token that lets scripts publish to a run and stop it' },
  { name: 'notify', group: 'publish', summary: 'send a test notification' },
  { name: 'mcp', group: 'publish', summary: 'serve tools to publish and ask, over MCP (agent CLIs start this)' },
  { name: 'init', group: 'first', summary: 'write a commented ralph.yml and a PROMPT.md' },
  { name: 'presets', group: 'design', summary: 'list the teams that come with Ralph' },
  { name: 'validate', group: 'first', summary: 'check configurations: each mistake, its place and how to fix it' },
  { name: 'config', group: 'design', summary: 'show the settings and where each came from, or the JSON Schema' },
  { name: 'explain', group: 'design', summary: 'explain a finding or an error, with examples' },
  { name: 'graph', group: 'design', summary: 'draw how events flow between hats' },
  { name: 'hats', group: 'design', summary: 'list the hats of a team, or show one of them' },
  { name: 'tools', group: 'design', summary: 'list the tools, and what a profile or a hat may use' },
  { name: 'hooks', group: 'design', summary: 'list the hooks of each hat, or try them' },
  { name: 'trace', group: 'design', summary: 'show what would happen if an event were published' },
  { name: 'simulate', group: 'design', summary: 'simulate a thousand runs of a team to see where it gets stuck' },
  { name: 'gates', group: 'design', summary: 'list the gates with their last results, or run them now' },
  { name: 'migrate', group: 'design', summary: 'convert another tool’s configuration into one for Ralph' },
  { name: 'doctor', group: 'first', summary: 'check which agent CLIs are installed and what they lack' },
  { name: 'demo', group: 'first', summary: 'watch a team fix a failing test; needs no key and no network' },
  { name: 'worker', group: 'keep', summary: 'take turns of runs on other machines, as a worker of a fleet' },
  { name: 'fleet', group: 'keep', summary: 'list the workers and the runs of a fleet, start its server' },
  { name: 'ps', group: 'keep', summary: 'list the processes that runs of this folder started' },
  { name: 'reap', group: 'keep', summary: 'end the processes that dead runs left behind' },
  { name: 'clean', group: 'keep', summary: 'remove old runs with their prompts and outputs' },
  { name: 'completions', group: 'keep', summary: 'print completions for bash, zsh or fish' },
];

export const COMMAND_NAMES: readonly string[] = COMMANDS.map((entry) => entry.name);
