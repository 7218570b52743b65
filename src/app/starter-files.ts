/** What `ralph init` writes without a preset: one agent does everything. */
export const STARTER_CONFIG = `# Ralph keeps agents at work until the task in PROMPT.md is really done.
# Every key: \`ralph config schema\`. Teams that are ready to use: \`ralph presets\`.

# cli:
#   backend: claude   # without it: the first agent CLI that is found, see \`ralph doctor\`
#   permissions: default   # agents run unattended with their own "ask nobody" flag; this leaves it out

event_loop:
  max_iterations: 30
  max_runtime_seconds: 2h
  # max_cost_usd: 10

# Ralph runs these commands itself before it believes that the work is done.
# gates:
#   - on: [task.complete]
#     run: npm test
# Tests that are there already are kept from being rewritten (a run that changes them says so in any case):
# protect: ['test/**', package.json]

# Without hats one agent does everything. A team hands on by events:
# hats:
#   builder:
#     description: Does one step, test first.
#     triggers: [build.task, review.rejected]
#     publishes: [build.done, build.blocked]
#   reviewer:
#     description: Reads the step, runs the tests, passes it or sends it back.
#     triggers: [build.done]
#     publishes: [review.approved, review.rejected]
`;

/** The task beside it. */
export const STARTER_PROMPT = `# What is to be done

Describe the outcome, not the steps. Say how anybody can see that it is reached:

- [ ] … (a sentence that somebody else can check)
- [ ] the project's tests, linter and build pass
`;
