/** A command by name. */
export interface CommandEntry {
  readonly name: CommandName;
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

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'run', summary: 'start a run: agents work until the task is done' },
  { name: 'resume', summary: 'go on with a run that was stopped, killed or limited' },
  { name: 'queue', summary: 'tasks for the night: add, list, run one after another, digest' },
  { name: 'stop', summary: 'end a run that is under way in another terminal' },
  { name: 'status', summary: 'what a run does now, how far it is' },
  { name: 'runs', summary: 'list the runs of this folder' },
  { name: 'worktrees', summary: 'list, compare, merge and remove the worktrees of runs' },
  { name: 'review', summary: 'a run on one screen: what is proven, what to read, what to do' },
  { name: 'land', summary: 'bring the branch of a run home, once its gates pass' },
  { name: 'pr', summary: 'push the branch of a run and open a draft pull request' },
  { name: 'undo', summary: 'take back what a run changed, or bring it back' },
  { name: 'show', summary: 'what an iteration was asked, said and changed' },
  { name: 'events', summary: 'the events of a run, also while it goes on' },
  { name: 'emit', summary: 'publish an event (what agents call)' },
  { name: 'token', summary: 'a token by which scripts publish to a run and stop it' },
  { name: 'mcp', summary: 'publish by a tool, over MCP (what agent CLIs start)' },
  { name: 'init', summary: 'write a commented ralph.yml and a PROMPT.md' },
  { name: 'presets', summary: 'list the teams that are ready to use' },
  { name: 'validate', summary: 'check configurations: every mistake with its place and its repair' },
  { name: 'config', summary: 'the settings in force and where each came from; the JSON Schema' },
  { name: 'explain', summary: 'what a finding or an error means, with examples' },
  { name: 'graph', summary: 'draw how events flow between hats' },
  { name: 'hats', summary: 'list the hats of a team, show one of them' },
  { name: 'tools', summary: 'which tools there are, and what a profile or a hat may use' },
  { name: 'trace', summary: 'what would happen if an event were published' },
  { name: 'simulate', summary: 'play the team a thousand times by chance: where does it get stuck' },
  { name: 'gates', summary: 'the gates, what they guard, what they showed last; run them now' },
  { name: 'migrate', summary: 'rewrite a configuration of another tool in our words' },
  { name: 'doctor', summary: 'which agent CLIs are there, and what to do' },
  { name: 'demo', summary: 'watch a team mend a failing test; no key, no network' },
  { name: 'ps', summary: 'processes that runs of this folder started' },
  { name: 'reap', summary: 'end what a dead run left behind' },
  { name: 'clean', summary: 'remove old runs with their prompts and outputs' },
  { name: 'completions', summary: 'completions for bash, zsh or fish' },
];

/** The names of all commands. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map((entry) => entry.name);
