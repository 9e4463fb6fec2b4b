/** Returns an error's name, code and stack frames for the log. Its message may quote traffic, which nobody redacts here. */
export function errorWithoutMessage(error: unknown): object {
  if (!(error instanceof Error)) return { error: typeof error }
  const lines = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  return { error: error.name, ...('code' in error ? { code: error.code } : {}), stack: lines.join('\n') }
}
