import { homedir } from 'node:os'
import { basename, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '../../../shared/config.ts'
import { createRedactor } from '../../redaction/create-redactor.ts'
import { keywordRule } from '../../redaction/keyword-rule.ts'
import { createCustomProcessors } from './custom-processors.ts'
import { CustomWorker } from './custom-worker.ts'
import { createOwnPatterns, expressionsOf } from './own-patterns.ts'

export interface OwnCodeOptions {
  readonly config: Pick<Config, 'redaction' | 'processors'>
  readonly dataDir: string
  readonly hashKey: Uint8Array
  /** False in threads that only pass events to the recorder, which runs the processors. */
  readonly withProcessors: boolean
  /** Called while waiting for the thread. */
  readonly onWait?: (() => void) | undefined
}

/** The configured redactor and the user's processors, whose code runs in a separate thread. */
export type OwnCode = ReturnType<typeof createOwnCode>

/** Creates the redactor and the steps, and starts the thread if the user has any patterns or processors. */
export function createOwnCode(options: OwnCodeOptions) {
  const { config, dataDir, hashKey, withProcessors, onWait } = options
  const { redaction } = config
  const patterns = redaction.enabled ? redaction.patterns : []
  const modules = (withProcessors ? config.processors.modules : []).map(({ path, name, options = {} }) => ({
    name: name ?? null,
    file: basename(path, extname(path)),
    url: pathToFileURL(resolve(dataDir, path)).href,
    options,
  }))
  const worker = new CustomWorker({ patterns: expressionsOf(patterns), modules, onWait })
  const ownPatterns =
    patterns.length > 0 ? createOwnPatterns({ worker, patterns, timeoutMs: redaction.pattern_timeout_ms }) : null
  const redactor = createRedactor({
    hashKey: Buffer.from(hashKey),
    enabled: redaction.enabled,
    maskEmails: redaction.mask_emails,
    ...(redaction.mask_home ? { homeFolder: homedir() } : {}),
    ...(redaction.keyword_rules ? { extraRules: [keywordRule] } : {}),
    ...(ownPatterns ? { ownPatterns } : {}),
    textTime: { textMs: redaction.text_timeout_ms },
  })
  const steps = createCustomProcessors({
    worker,
    nameOf: (module) => modules[module]?.name ?? worker.nameOf(module) ?? modules[module]?.file ?? '',
    count: modules.length,
    timeoutMs: config.processors.timeout_ms,
    redact: redactor.text,
  })
  if (patterns.length > 0 || modules.length > 0) worker.start()
  return {
    redactor,
    steps,
    /** Texts left out because of a timeout, by the user's pattern or under `built_in_rules`. */
    timeouts: () => ({ built_in_rules: redactor.timeouts(), ...ownPatterns?.timeouts() }),
    stop: () => worker.stop(),
  }
}
