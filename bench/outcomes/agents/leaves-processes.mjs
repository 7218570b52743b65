/** Starts what goes on after its turn, for a minute at most. */
const STAY = 'setTimeout(() => undefined, 60_000);';
const DEAF = "for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);";
const SERVE = "const server = require('node:http').createServer().listen(0, '127.0.0.1'); setTimeout(() => server.close(), 60_000);";
const STUB = "export function slug() {\\n  throw new Error('an older state');\\n}\\n";
/** As a watcher does that writes back what it had read before. */
const UNDO = `${DEAF} setTimeout(() => require('node:fs').writeFileSync('src/slug.js', "${STUB}"), 4000); ${STAY}`;

export const leavesProcesses = [
  {
    variant: 'sleeper',
    what: 'does all; a program in a session of its own stays',
    act: (agent) => {
      agent.leave(STAY);
      agent.finish();
    },
  },
  {
    variant: 'server',
    what: 'does all; a server on loopback stays',
    act: (agent) => {
      agent.leave(SERVE);
      agent.finish();
    },
  },
  {
    variant: 'daemon',
    what: 'does half and claims the whole; one with an empty environment that is deaf to signals stays; does the rest when it is asked again',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      agent.leave(`${DEAF} ${STAY}`, {});
      agent.doHalf();
      agent.claim('All done.');
    },
  },
  {
    variant: 'undoes-later',
    what: 'does all; a watcher stays that writes an older slug.js back four seconds later',
    settleMs: 5000,
    act: (agent) => {
      agent.leave(UNDO);
      agent.finish();
    },
  },
];
