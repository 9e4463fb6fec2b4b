/** The part of Electron's globalShortcut that is used. */
export interface Shortcuts {
  /** Returns false if another program uses the keys. Throws if the text is not a valid shortcut. */
  register(accelerator: string, callback: () => void): boolean
  unregister(accelerator: string): void
}

/** The global shortcut that opens Recall. */
export type RecallShortcut = ReturnType<typeof createRecallShortcut>

/** `onFault` is called once for a shortcut that cannot be registered. */
export function createRecallShortcut(shortcuts: Shortcuts, onPress: () => void, onFault: (fault: string) => void) {
  let wanted = ''
  let fault: string | null = null

  function take(accelerator: string): string | null {
    if (accelerator === '') return null
    try {
      return shortcuts.register(accelerator, onPress) ? null : `${accelerator} is used by another program`
    } catch {
      // Electron reports only that a conversion failed.
      return `"${accelerator}" is not a valid shortcut; use a form like CommandOrControl+Alt+R`
    }
  }

  return {
    /** Replaces the shortcut; '' removes it. */
    apply(accelerator: string) {
      if (accelerator === wanted) return
      if (wanted !== '' && fault === null) shortcuts.unregister(wanted)
      wanted = accelerator
      fault = take(accelerator)
      if (fault !== null) onFault(fault)
    },
    /** The configured shortcut. */
    keys: () => wanted,
    /** Why the shortcut does not work; null if it works or none is configured. */
    fault: () => fault,
  }
}
