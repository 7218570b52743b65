/** A command by name. */
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
  | 'runs'
  | 'worktrees'
  | 'land'
  | 'pr'
  | 'undo'
  | 'show'
  | 'review'
  | 'events'
  | 'emit'
  | 'token'
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
  { name: 'resume', group: 'first', summary: 'go on with a run that was stopped, killed or limited' },
  { name: 'queue', group: 'first', summary: 'a queue of tasks: add, list, run one after another, digest' },
  { name: 'stop', group: 'first', summary: 'end a run that is under way in another terminal' },
  { name: 'status', group: 'first', summary: 'what a run does now, how far it is' },
  { name: 'runs', group: 'look', summary: 'list the runs of this folder' },
  { name: 'worktrees', group: 'look', summary: 'list, compare, merge and remove the worktrees of runs' },
  { name: 'review', group: 'first', summary: 'a run on one screen: what is proven, what to read, what to do' },
  { name: 'land', group: 'first', summary: 'bring the branch of a run home, once its gates pass' },
  { name: 'pr', group: 'look', summary: 'push the branch of a run and open a draft pull request' },
  { name: 'undo', group: 'first', summary: 'take back what a run changed, or bring it back' },
  { name: 'show', group: 'look', summary: 'what an iteration was asked, said and changed' },
  { name: 'events', group: 'look', summary: 'the events of a run, also while it goes on' },
  { name: 'emit', group: 'publish', summary: 'publish an event (what agents call)' },
  { name: 'token', group: 'publish', summary: 'a token by which scripts publish to a run and stop it' },
  { name: 'mcp', group: 'publish', summary: 'publish by a tool, over MCP (what agent CLIs start)' },
  { name: 'init', group: 'first', summary: 'write a commented ralph.yml and a PROMPT.md' },
  { name: 'presets', group: 'design', summary: 'list the teams that are ready to use' },
  { name: 'validate', group: 'first', summary: 'check configurations: every mistake with its place and its repair' },
  { name: 'config', group: 'design', summary: 'the settings in force and where each came from; the JSON Schema' },
  { name: 'explain', group: 'design', summary: 'what a finding or an error means, with examples' },
  { name: 'graph', group: 'design', summary: 'draw how events flow between hats' },
  { name: 'hats', group: 'design', summary: 'list the hats of a team, show one of them' },
  { name: 'tools', group: 'design', summary: 'which tools there are, and what a profile or a hat may use' },
  { name: 'trace', group: 'design', summary: 'what would happen if an event were published' },
  { name: 'simulate', group: 'design', summary: 'play the team a thousand times by chance: where does it get stuck' },
  { name: 'gates', group: 'design', summary: 'the gates, what they guard, what they showed last; run them now' },
  { name: 'migrate', group: 'design', summary: 'rewrite a configuration of another tool in our words' },
  { name: 'doctor', group: 'first', summary: 'which agent CLIs are there, and what to do' },
  { name: 'demo', group: 'first', summary: 'watch a team mend a failing test; no key, no network' },
  { name: 'ps', group: 'keep', summary: 'processes that runs of this folder started' },
  { name: 'reap', group: 'keep', summary: 'end what a dead run left behind' },
  { name: 'clean', group: 'keep', summary: 'remove old runs with their prompts and outputs' },
  { name: 'completions', group: 'keep', summary: 'completions for bash, zsh or fish' },
];

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map((entry) => entry.name);
