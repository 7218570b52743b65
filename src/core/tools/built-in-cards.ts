import type { ToolCard } from './tool-card.ts';

/**
 * The cards of the built-in tools in the order in which they are offered, so that profiles can be checked and shown without loading the tools.
 * Written by `npm run tools` from `src/agent/tools`: do not edit.
 */
export const BUILT_IN_CARDS: readonly ToolCard[] = [
  {
    name: 'glob',
    group: 'fs_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description: 'Finds files by a pattern of their path, the latest changed first. Leaves out what .gitignore names; follows no links.',
  },
  {
    name: 'grep',
    group: 'fs_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description:
      'Finds lines in files by a regular expression. Leaves out binary files, what .gitignore names, .git and node_modules, unless "path" is such a folder.',
  },
  {
    name: 'list_files',
    group: 'fs_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description:
      'Lists what is in a folder, sorted by name: folders end with "/", links say where they lead, dot files are shown. Use glob to find files by a pattern.',
  },
  {
    name: 'read_file',
    group: 'fs_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description:
      'Reads a text file; an image or a PDF document is shown where the model can take it. Each line comes with its number and a tab in front, which are not part of the file. At most 1990 lines or 48 KB at once; the result says how to read on. A file has to be read before write_file may overwrite it.',
  },
  {
    name: 'edit_file',
    group: 'fs_write',
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    description:
      'Replaces text in a file. The old text must occur exactly once, unless replace_all is true. Line endings and a byte order mark are kept.',
  },
  {
    name: 'write_file',
    group: 'fs_write',
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    description:
      'Writes a whole file, making missing folders. A file that exists must have been read with read_file before, and must not have changed since; to change a part of a file use edit_file.',
  },
  {
    name: 'git_diff',
    group: 'git_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description:
      'Shows what changed in the workspace: not yet staged, staged, or against a commit. New files that git does not know are not in it.',
  },
  {
    name: 'git_log',
    group: 'git_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description: 'Lists commits, the newest first: short id, date, author, subject, and the branches and tags that point to it.',
  },
  {
    name: 'git_status',
    group: 'git_read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description:
      'Says which branch is checked out and which files of the workspace are changed, staged or new (git status --porcelain=v2 --branch).',
  },
  {
    name: 'git_commit',
    group: 'git_write',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    description:
      'Commits what changed in the workspace, or only some paths, to the branch that is checked out. Files that look like they hold secrets are refused. Hooks of the repository are not run: run its checks with run_tests and run_lint first.',
  },
  {
    name: 'git_init',
    group: 'git_write',
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    description: 'Makes a git repository in the workspace, or in a folder of it. Does nothing where there is one.',
  },
  {
    name: 'git_push',
    group: 'git_write',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    description:
      'Pushes one branch to the branch of the same name on a remote. Never by force, and not to protected branches (main, master, release/*): push a branch of your own and open a pull request. Hooks of the repository are not run.',
  },
  {
    name: 'git_remote_add',
    group: 'git_write',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    description: 'Adds a remote to the repository. A remote that is there keeps its address.',
  },
  {
    name: 'github_create_pr',
    group: 'github',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    description: 'Opens a pull request on GitHub for a branch that was pushed. Where one is open already, its address is returned.',
  },
  {
    name: 'github_create_repo',
    group: 'github',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    description: 'Creates an empty repository on GitHub for the account of the token. Add it with git_remote_add, then push.',
  },
  {
    name: 'web_fetch',
    group: 'web',
    hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    description:
      'Fetches one page of the public web as Markdown, plain text or HTML. Private and local addresses are refused; a redirect to another host is told, not followed; at most 10 requests a minute to one host.',
  },
  {
    name: 'web_search',
    group: 'web',
    hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    description: 'Searches the web and returns titles, addresses and excerpts. Read a page with web_fetch.',
  },
  {
    name: 'bash',
    group: 'runtime',
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    description:
      'Runs a shell command in the workspace and returns the end of what it printed, and its exit code. Standard input is closed; keys and tokens are not in the environment; what it leaves running is ended.',
  },
  {
    name: 'list_runtimes',
    group: 'runtime',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    description: 'Lists which languages, package managers and tools are installed on this machine, with their versions.',
  },
  {
    name: 'run_build',
    group: 'quality',
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    description: 'Builds the project, with the configured command or the one its files tell, and returns the end of the output.',
  },
  {
    name: 'run_lint',
    group: 'quality',
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    description: 'Runs the linter of the project, with the configured command or the one its files tell.',
  },
  {
    name: 'run_tests',
    group: 'quality',
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    description:
      'Runs the tests of the project, with the configured command or the one its files tell, and returns how many passed and failed and the end of the output.',
  },
  {
    name: 'task_complete',
    group: 'complete',
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    description:
      'Says that the whole task is done. Ralph then runs the checks of the project; only if they pass does the run end, else you are told what failed.',
  },
  {
    name: 'emit_event',
    group: 'coordination',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    description:
      'Publishes an event, so that another hat goes on with your work. Call it once your part is done; it takes effect when your turn ends.',
  },
  {
    name: 'update_todos',
    group: 'coordination',
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    description:
      'Keeps the list of what is to do: give the whole list each time. It is kept in .agent/todos.md for later turns and other hats.',
  },
  {
    name: 'write_scratchpad',
    group: 'coordination',
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    description:
      'Writes to the scratchpad, the notes that all hats share and that outlive the turn: decisions, what is done, what is next. Appends, unless mode is replace.',
  },
];
