import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchedPackage } from './fetched-package.ts'

/** The SDK that callers other than Claude Code use, as they would: its module, run by a separate Node. */
export const ANTHROPIC_SDK = fetchedPackage('@anthropic-ai/sdk', '1.12.0', (modules) => {
  const module = join(modules, '@anthropic-ai/sdk/index.mjs')
  return existsSync(module) ? module : null
})
