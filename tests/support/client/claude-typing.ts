import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { pluginFiles } from '../../../src/main/clients/claude-code/setup/plugin-files.ts'
import { pluginPlaces } from '../../../src/main/clients/claude-code/setup/plugin-places.ts'
import { SCRIPT } from '../app/on-terminal.ts'
import type { TestApp } from '../app/start-app.ts'
import { until } from '../runner/until.ts'
import { findClaude } from './claude-client.ts'

const KEY = 'sk-ant-dummy-key-of-a-test'

/** Answers what the client asks in its first minute. */
export function answerFirstQuestions(home: string): void {
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [home]: { hasTrustDialogAccepted: true } },
    }),
  )
}

/** Writes settings with the hooks of our plugin, which answer to an app. */
export function installHooks(home: string, app: TestApp): void {
  const places = pluginPlaces({
    dataDir: app.data,
    watchesFiles: false,
    appPort: Number(new URL(app.app).port),
    aspy: [process.execPath, join(home, 'not-there')],
  })
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, '.claude', 'settings.json'), pluginFiles(places).get('hooks/hooks.json') ?? '')
}

export const transcriptsBelow = (home: string): string[] => globSync(join(home, '.claude/projects/**/*.jsonl'))

/** The real client in a terminal, with what it asks at first answered, and what a person types into it. */
export interface TypingClient extends AsyncDisposable {
  /** Sends keys, and waits until the screen shows a text that was not there before. */
  press(keys: string, shown?: string): Promise<void>
  /** Types a line and waits for its answer, which names the line, or for another text. */
  says(line: string, shown?: string): Promise<void>
}

/** How long the client takes keys of one write for a paste, in which Enter is a line end. */
const PASTE_MS = 400

export function startTyping(home: string, baseUrl: string, command = '--permission-mode default'): TypingClient {
  const child = spawn(SCRIPT, ['-qec', `stty cols 140 rows 50; ${findClaude()} ${command}`, '/dev/null'], {
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      TERM: 'xterm-256color',
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: '0',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  // The client moves its cursor instead of printing blanks.
  const shown = (from: number) => stripVTControlCharacters(printed.slice(from)).replaceAll(/\s/g, '')
  const press = async (keys: string, text?: string) => {
    const from = printed.length
    child.stdin.write(keys)
    await pause(PASTE_MS)
    if (text !== undefined)
      await until(`the client shows ${text}`, () => Promise.resolve(shown(from).includes(text.replaceAll(' ', ''))))
  }
  const ready = until('the client is ready', () => Promise.resolve(shown(0).includes('❯')))
  return {
    press,
    async says(line, text = `You said: ${line}`) {
      await ready
      await press(line)
      await press('\r', text)
      // The client is ready for the next line a moment after an answer.
      await pause(PASTE_MS)
    },
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}
