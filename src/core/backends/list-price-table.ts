// Written by `npm run prices`, do not edit.

/** The day on which the list was published, as @pydantic/genai-prices@0.1.8. */
export const LIST_DAY = '2026-09-23';

/** A line for each price: `names context input output cacheRead cacheWrite [above input output cacheRead cacheWrite]`, US dollars for a million tokens. */
export const LIST_TABLE = `
GLM-5.2,GLM-5.3,glm-5.2,glm-5.3 1000000 1.4 4.4 0.26 -
GLM-5.3-Flash,glm-5.3-flash 1000000 0.075 0.25 0.015 -
M2-her,m2-her 64000 0.3 1.2 - -
MiniMax-M2,MiniMax-M2.1,MiniMax-M2.5,minimax-m2,minimax-m2.1,minimax-m2.5 204800 0.3 1.2 0.03 0.375
MiniMax-M2.1-highspeed,MiniMax-M2.5-highspeed 204800 0.6 2.4 0.03 0.375
MiniMax-M2.7,minimax-m2.7 204800 0.3 1.2 0.06 0.375
MiniMax-M2.7-highspeed 204800 0.6 2.4 0.06 0.375
chatgpt-4o-latest,gpt-4o-2024-05-13 128000 5 15 - -
claude-3-5-haiku,claude-3-5-haiku-latest,claude-3.5-haiku 200000 0.8 4 0.08 1
claude-3-5-sonnet,claude-3-7-sonnet,claude-3-7-sonnet-latest,claude-3-sonnet,claude-3.5-sonnet,claude-3.7-sonnet,claude-4-sonnet,claude-sonnet-3-7,claude-sonnet-3.7,claude-sonnet-4,claude-sonnet-4-0,claude-sonnet-4-2025 200000 3 15 0.3 3.75
claude-3-haiku 200000 0.25 1.25 0.03 0.3
claude-3-opus,claude-3-opus-latest,claude-4-opus,claude-opus-4,claude-opus-4-0,claude-opus-4-1,claude-opus-4.1 200000 15 75 1.5 18.75
claude-4-5-haiku,claude-4.5-haiku,claude-haiku-4-5,claude-haiku-4.5 200000 1 5 0.1 1.25
claude-4-5-opus,claude-4.5-opus,claude-opus-4-5,claude-opus-4.5 200000 5 25 0.5 6.25
claude-4-6-opus,claude-4-7-opus,claude-4-8-opus,claude-4.6-opus,claude-4.7-opus,claude-4.8-opus,claude-5-opus,claude-5.0-opus,claude-opus-4-6,claude-opus-4-7,claude-opus-4-8,claude-opus-4.6,claude-opus-4.7,claude-opus-4.8,claude-opus-5,claude-opus-5.0 1000000 5 25 0.5 6.25
claude-5-5-opus,claude-5.5-opus,claude-opus-5-5,claude-opus-5.5 1000000 4 20 0.2 5
claude-5-sonnet,claude-5.0-sonnet,claude-sonnet-5,claude-sonnet-5.0 1000000 2 10 0.2 2.5
claude-fable-5 1000000 10 50 1 12.5
claude-fable-5-1 1000000 10 50 0.25 12.5
claude-sonnet-4-5,claude-sonnet-4.5 200000 3 15 0.3 3.75 200000 6 22.5 0.6 7.5
claude-sonnet-4-6,claude-sonnet-4.6 1000000 3 15 0.3 3.75
codestral,codestral-2501,codestral-latest 256000 0.3 0.9 - -
codestral-2508 256000 0.3 0.9 0.03 -
codex-mini,codex-mini-latest 200000 1.5 6 0.375 -
deepseek-chat,deepseek-chat-v3-0324 64000 0.27 1.1 0.07 -
deepseek-r1,deepseek-r1-0528,deepseek-reasoner 64000 0.55 2.19 0.14 -
deepseek-v3.1-terminus 128000 0.27 0.95 0.13 -
deepseek-v3.2 128000 0.2288 0.3432 - -
deepseek-v3.2-exp 128000 0.27 0.41 - -
deepseek-v4-flash 1000000 0.44 1.32 0.014 -
deepseek-v4-pro 1000000 1.32 3.96 0.044 -
devstral-2512 262144 0.4 2 0.04 -
devstral-small,devstral-small-2505,devstral-small-2507,devstral-small-latest,labs-devstral-small-2512,mistral-small-latest - 0.1 0.3 - -
gemini-1.0-pro,gemini-1.0-pro-vision-001,gemini-pro 32768 0.125 0.375 - -
gemini-1.5-flash 1000000 0.075 0.3 0.01875 - 128000 0.15 0.6 0.0375 -
gemini-1.5-pro 1000000 1.25 5 - - 128000 2.5 10 - -
gemini-2.0-flash,gpt-4.1-nano 1000000 0.1 0.4 0.025 -
gemini-2.0-flash-lite 1000000 0.075 0.3 - -
gemini-2.5-flash,gemini-2.5-flash-latest,gemini-2.5-flash-preview-09-2025 1048576 0.3 2.5 0.03 -
gemini-2.5-flash-lite 1000000 0.1 0.4 0.01 -
gemini-2.5-flash-preview - 0.15 0.6 - -
gemini-2.5-pro - 1.25 10 0.125 - 200000 2.5 15 0.25 -
gemini-3-flash-preview 1000000 0.5 3 0.05 -
gemini-3-pro-preview,gemini-3-pro-text-preview,gemini-3.1-pro-preview - 2 12 0.2 - 200000 4 18 0.4 -
gemini-3.1-flash-lite,gemini-3.1-flash-lite-preview 1000000 0.25 1.5 0.025 -
gemini-3.5-flash,gemini-3.5-flash-preview 1000000 1.5 9 0.15 -
gemini-3.5-flash-lite 1000000 0.3 2.5 0.03 -
gemini-3.6-flash,gemini-3.7-flash,gemini-3.8-flash 1000000 0.75 3.75 0.075 -
gemini-flash-1.5 - 0.075 0.3 0.01875 - 128000 0.15 0.6 0.0375 -
gemini-flash-1.5-8b 1000000 0.0375 0.15 0.01 - 128000 0.075 0.3 0.02 -
gemini-pro-1.5 2000000 1.25 5 0.3125 - 128000 2.5 10 0.625 -
gpt-4,gpt-4-0314,gpt-4-0613 8192 30 60 - -
gpt-4-0125-preview,gpt-4-1106-preview,gpt-4-1106-vision-preview,gpt-4-turbo,gpt-4-turbo-0125-preview,gpt-4-turbo-preview,gpt-4-vision-preview 128000 10 30 - -
gpt-4-32k,gpt-4-32k-0314,gpt-4-32k-0613 32000 60 120 - -
gpt-4.1 1000000 2 8 0.5 -
gpt-4.1-mini 1000000 0.4 1.6 0.1 -
gpt-4.5-preview - 75 150 37.5 -
gpt-4o 128000 2.5 10 1.25 -
gpt-4o-mini 128000 0.15 0.6 0.075 -
gpt-5,gpt-5-1,gpt-5-1-chat,gpt-5-1-chat-latest,gpt-5-1-codex,gpt-5-1-codex-max,gpt-5-chat,gpt-5-chat-latest,gpt-5-codex,gpt-5.1,gpt-5.1-chat,gpt-5.1-chat-latest,gpt-5.1-codex,gpt-5.1-codex-max 400000 1.25 10 0.125 -
gpt-5-1-codex-mini,gpt-5-1-mini,gpt-5-mini,gpt-5.1-codex-mini,gpt-5.1-mini 400000 0.25 2 0.025 -
gpt-5-2,gpt-5-2-chat,gpt-5-2-chat-latest,gpt-5-2-codex,gpt-5-3-codex,gpt-5.2,gpt-5.2-chat,gpt-5.2-chat-latest,gpt-5.2-codex,gpt-5.3-codex 400000 1.75 14 0.175 -
gpt-5-2-pro-2025-12-11,gpt-5.2-pro 400000 21 168 - -
gpt-5-3,gpt-5-3-chat,gpt-5-3-chat-latest,gpt-5.3,gpt-5.3-chat,gpt-5.3-chat-latest 128000 1.75 14 0.175 -
gpt-5-4,gpt-5.4 1050000 2.5 15 0.25 - 271999 5 22.5 0.5 -
gpt-5-4-mini,gpt-5.4-mini 400000 0.75 4.5 0.075 -
gpt-5-4-nano,gpt-5.4-nano 400000 0.2 1.25 0.02 -
gpt-5-4-pro,gpt-5.4-pro 1050000 30 180 - - 271999 60 270 - -
gpt-5-5,gpt-5-5-chat,gpt-5-5-chat-latest,gpt-5-5-codex,gpt-5.5,gpt-5.5-chat,gpt-5.5-chat-latest,gpt-5.5-codex 1000000 5 30 0.5 - 271999 10 45 1 -
gpt-5-5-pro,gpt-5.5-pro 1000000 30 180 - - 271999 60 270 - -
gpt-5-6,gpt-5-6-sol,gpt-5.6,gpt-5.6-sol 1050000 4 20 0.4 5 271999 8 30 0.8 10
gpt-5-6-luna,gpt-5.6-luna 1050000 0.2 1.2 0.02 0.25 271999 0.4 1.8 0.04 0.5
gpt-5-6-terra,gpt-5.6-terra 1050000 2 12 0.2 2.5 271999 4 18 0.4 5
gpt-5-nano 400000 0.05 0.4 0.005 -
gpt-5-pro 400000 15 120 - -
gpt-6-astra 1050000 10 50 1 12.5 271999 20 75 2 25
gpt-6-luna 1050000 0.1 0.5 0.01 0.125 272000 0.2 0.75 0.02 0.25
gpt-6-sol 1050000 2 10 0.2 2.5 272000 4 15 0.4 5
gpt-chat-latest - 5 30 0.5 -
grok-2,grok-2-1212,grok-2-latest,grok-2-vision,grok-2-vision-1212,grok-2-vision-latest 32768 2 10 - -
grok-3,grok-3-beta,grok-3-latest 131072 3 15 0.75 -
grok-3-fast,grok-3-fast-beta,grok-3-fast-latest 131072 5 25 1.25 -
grok-3-mini,grok-3-mini-beta,grok-3-mini-latest 131072 0.3 0.5 0.075 -
grok-3-mini-fast,grok-3-mini-fast-beta,grok-3-mini-fast-latest 131072 0.6 4 0.15 -
grok-4,grok-4-0709,grok-4-latest 256000 3 15 0.75 -
grok-4-1-fast,grok-4-1-fast-non-reasoning,grok-4-1-fast-non-reasoning-latest,grok-4-1-fast-reasoning,grok-4-1-fast-reasoning-latest,grok-4-fast,grok-4-fast-non-reasoning,grok-4-fast-non-reasoning-latest,grok-4-fast-reasoning,grok-4-fast-reasoning-latest 2000000 0.2 0.5 0.05 -
grok-4.20,grok-4.3,grok-4.3-latest,x-ai/grok-4.3 1000000 1.25 2.5 0.2 - 199999 2.5 5 0.4 -
grok-4.20-multi-agent 1000000 2 6 0.2 -
grok-4.5,grok-4.5-latest,grok-latest,x-ai/grok-4.5 500000 2 6 0.3 - 199999 4 12 0.6 -
grok-4.6,grok-4.6-latest,x-ai/grok-4.6 500000 2 6 0.5 - 199999 4 12 1 -
grok-build-0.1 256000 1 2 0.2 - 199999 2 4 0.4 -
grok-code-fast,grok-code-fast-1,grok-code-fast-1-0825 256000 0.2 1.5 0.02 -
kimi-k2 - 0.57 2.3 - -
kimi-k2-0711-preview 131072 0.6 2.5 0.15 -
kimi-k2-0905-preview,kimi-k2-thinking 262144 0.6 2.5 0.15 -
kimi-k2-thinking-turbo,kimi-k2-turbo,kimi-k2-turbo-preview 262144 1.15 8 0.15 -
kimi-k2.5 262144 0.6 3 0.1 -
kimi-k2.6 262144 0.95 4 0.16 -
kimi-k2.7-code 262144 0.95 4 0.19 -
kimi-k2.7-code-highspeed 262144 1.9 8 0.38 -
kimi-k3 1048576 3 15 0.3 -
magistral-medium - 2 5 - -
magistral-small - 0.5 1.5 - -
minimax-01 1000192 0.2 1.1 - -
minimax-m1 - 0.4 2.2 - -
minimax-m3 1000000 0.3 1.2 0.06 - 512000 0.6 2.4 0.12 -
ministral-14b-2512 262144 0.2 0.2 0.02 -
ministral-3b - 0.04 0.04 - -
ministral-3b-2512 131072 0.1 0.1 0.01 -
ministral-8b,ministral-8b-2410 - 0.1 0.1 - -
ministral-8b-2512 262144 0.15 0.15 0.015 -
ministral-8b-latest - 0.15 0.15 0.015 -
mistral-7b,mistral-tiny,open-mistral-7b - 0.25 0.25 - -
mistral-large,mistral-large-2407,mistral-large-2411,mistral-large-latest,pixtral-large,pixtral-large-2411,pixtral-large-latest - 2 6 - -
mistral-large-2512 262144 0.5 1.5 0.05 -
mistral-medium,mistral-medium-2505,mistral-medium-2508,mistral-medium-3-1 - 0.4 2 0.04 -
mistral-medium-2312 - 2.7 8.1 - -
mistral-medium-3,mistral-medium-3-5,mistral-medium-3.5 262144 1.5 7.5 0.15 -
mistral-medium-latest - 1.5 7.5 0.15 -
mistral-nemo,open-mistral-nemo,pixtral-12b,pixtral-12b-latest - 0.15 0.15 - -
mistral-saba,mistral-saba-latest - 0.2 0.6 - -
mistral-small-24b-instruct-2501 - 0.05 0.08 - -
mistral-small-2603 262144 0.15 0.6 0.015 -
mistral-small-3.1-24b-instruct - 0.351 0.555 - -
mistral-small-3.2-24b-instruct - 0.075 0.2 - -
mixtral-8x22b-instruct - 0.9 0.9 - -
mixtral-8x7b,open-mixtral-8x7b - 0.7 0.7 - -
moonshot-v1-128k,moonshot-v1-128k-vision-preview 131072 2 5 - -
moonshot-v1-32k,moonshot-v1-32k-vision-preview 32768 1 3 - -
moonshot-v1-8k,moonshot-v1-8k-vision-preview 8192 0.2 2 - -
o1 200000 15 60 7.5 -
o1-mini 128000 1.1 4.4 0.55 -
o1-preview 128000 15 60 7.5 -
o1-pro 200000 150 600 - -
o3 200000 2 8 0.5 -
o3-mini,o3-mini-high 200000 1.1 4.4 0.55 -
o3-pro 200000 20 80 - -
o4-mini,o4-mini-high 200000 1.1 4.4 0.275 -
`;
