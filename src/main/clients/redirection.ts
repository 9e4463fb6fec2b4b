import { basename } from 'node:path'
import { redirectCopilot } from './copilot-cli/redirect.ts'
import { redirectOpencode } from './opencode/redirect.ts'
import { redirectPi } from './pi/redirect.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The way in which a client is sent to another address for one run. */
export interface Redirection {
  /** Arguments before the person's own. */
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  /** Removes what was written for the run. */
  undo(): void
}

/** Facts of a run. */
export interface RedirectedRun {
  /** The address of our proxy, with the path secret. */
  readonly baseUrl: string
  readonly args: readonly string[]
  readonly env: Environment
}

/** Clients that ignore `ANTHROPIC_BASE_URL`. Kimi Code and Qwen Code read it, as Claude Code does. */
const REDIRECTS: Readonly<Record<string, (run: RedirectedRun) => Redirection>> = {
  pi: redirectPi,
  opencode: redirectOpencode,
  copilot: redirectCopilot,
}

/** Returns what sends a client to our proxy beside `ANTHROPIC_BASE_URL`; null for clients that need no more. */
export function redirectionOf(client: string, run: RedirectedRun): Redirection | null {
  const name = basename(client)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|ps1)$/, '')
  return Object.hasOwn(REDIRECTS, name) ? (REDIRECTS[name]?.(run) ?? null) : null
}
