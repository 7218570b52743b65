#!/usr/bin/env node
// Runs before anything is known about the machine: keep to syntax that an old Node can still read, so that it can say what is wrong.
// A script that is required, no module: to load one module costs Node.js 20 a third of its own start. Imports nothing by itself:
// `ralph --version` is measured against a bare `node -e 0`.

const REQUIRED = [20, 19];

const problem = findProblem();
const command = problem ? undefined : loadCommand();
if (command) {
  let isDone = false;
  command.main(process.argv.slice(2), process.env).then((exitCode) => {
    process.exitCode = exitCode;
    isDone = true;
  });
  // Nothing is left to do, then: the memory need not be taken apart before the end. A command that waits for nothing is no success (13, as of a module).
  process.once('beforeExit', () => process.exit(isDone ? process.exitCode : 13));
} else {
  const unbuilt =
    'is not built (dist/cli.cjs is missing). Run `npm ci` in the checkout; if the packages are installed already, `npm run build`.';
  process.stderr.write(`ralph: ${problem || unbuilt}\n`);
  process.exitCode = 2;
}

function findProblem() {
  if (process.platform === 'win32') {
    return 'native Windows is not supported. Install WSL (https://learn.microsoft.com/windows/wsl/install), then install and run ralph inside it.';
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
    return `needs Node.js ${REQUIRED.join('.')} or newer, this is ${process.versions.node}. Install a newer one from https://nodejs.org.`;
  }
  return undefined;
}

/** The built command; undefined when there is no build. */
function loadCommand() {
  try {
    return require('../dist/cli.cjs');
  } catch (error) {
    if (require('node:fs').existsSync(`${__dirname}/../dist/cli.cjs`)) throw error;
    return undefined;
  }
}
