/** The backend of every test here: a shell script in the folder of the run. */
export const SCRIPT_BACKEND = 'cli: { backend: custom, command: ./agent.sh }\n';

/**
 * An agent as a shell script. Its body finds the prompt in `$prompt`, and has `emit TOPIC TEXT`, which appends a line to the events file, and `nth NAME`,
 * which says how often that name was counted in this folder, this time included.
 */
export function toAgent(body: string): string {
  return `#!/bin/sh
for prompt; do :; done
emit() { printf '{"topic":"%s","payload":"%s"}\\n' "$1" "$2" >> "$RALPH_EVENTS_FILE"; }
nth() { echo x >> ".agent/count-$1"; grep -c x ".agent/count-$1"; }
${body}
`;
}

/** The files of a run: `ralph.yml`, with the script as its backend, and the script. */
export function toFiles(config: string, body: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { 'ralph.yml': `${SCRIPT_BACKEND}${config}`, 'agent.sh': toAgent(body), ...more };
}

/** A team that Ralph coordinates. */
export const TEAM_OF_RALPH = `
hats:
  builder:
    triggers: [build.task, review.rejected]
    publishes: [build.done]
  reviewer:
    triggers: [build.done]
    publishes: [review.passed, review.rejected]
`;

/** A planner and a builder that coordinate themselves. */
export const PLANNER_AND_BUILDER = `
hats:
  planner:
    triggers: [task.start, task.resume, build.done]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
`;
