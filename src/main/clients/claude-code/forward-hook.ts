import { fieldsOf, findApp, send } from './ask-app.ts'

/** Forwards command hooks. A new process starts for each hook, and the client waits for it. */

/** One byte more than the app accepts of a hook. */
const TOO_LARGE_BYTES = 4 * 1024 * 1024 + 1

interface ForwardedHook {
  /** The JSON that the client wrote to the hook's stdin. */
  readonly body: string
  readonly dataDir: string
  readonly signal: AbortSignal
}

/**
 * Posts a Claude Code hook to the running app; does nothing if no app is running. Sends only the key of the hooks.
 * Resolves with the hook's output: what the user chose for the model, and a notice if the session continues after a
 * compaction; else ''. Rejects if the app fails, cannot prove itself, or `signal` aborts.
 */
export async function forwardHook({ body, dataDir, signal }: ForwardedHook): Promise<string> {
  const app = findApp(dataDir)
  if (app === null) return ''
  const { hook_event_name: event, session_id, source: start } = fieldsOf(body)
  const posted = send({ app, path: '/api/hooks', keyName: 'hooks', body, signal })
  if (event !== 'SessionStart' || (start !== 'compact' && start !== 'resume')) {
    const answer = await posted
    return 'hookSpecificOutput' in fieldsOf(answer) ? `${answer}\n` : ''
  }
  const input = JSON.stringify({ session_id, start })
  const [, answer] = await Promise.all([
    posted,
    send({ app, path: '/api/notices.session_start', keyName: 'hooks', body: input, signal }),
  ])
  const { text } = fieldsOf(answer)
  if (typeof text !== 'string' || text === '') return ''
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } })}\n`
}

/** Makes the running app count a hook that was too large to read: it refuses a body of this size, and counts that. */
export async function reportTooLarge({ dataDir, signal }: Omit<ForwardedHook, 'body'>): Promise<void> {
  const app = findApp(dataDir)
  if (app === null) return
  const body = ' '.repeat(TOO_LARGE_BYTES)
  await send({ app, path: '/api/hooks', keyName: 'hooks', body, signal })
}
