/** What of Electron's globalShortcut is used. */
export interface Shortcuts {
  /** False: another program has the keys. Throws for what names no keys. */
  register(accelerator: string, callback: () => void): boolean
  unregister(accelerator: string): void
}

/** The keys that open Recall from anywhere. */
export interface RecallShortcut {
  /** Takes these keys in place of those before; empty: none. */
  apply(accelerator: string): void
  /** The keys that are wanted. */
  keys(): string
  /** Why they do nothing; null: they work, or none are wanted. */
  fault(): string | null
}

/** `onFault` is told once for keys that cannot be had. */
export function createRecallShortcut(
  shortcuts: Shortcuts,
  onPress: () => void,
  onFault: (fault: string) => void,
): RecallShortcut {
  let wanted = ''
  let fault: string | null = null

  function take(accelerator: string): string | null {
    if (accelerator === '') return null
    try {
      return shortcuts.register(accelerator, onPress) ? null : `${accelerator} is taken by another program`
    } catch {
      // Electron says only that a conversion failed.
      return `"${accelerator}" names no keys: write them like CommandOrControl+Alt+R`
    }
  }

  return {
    apply(accelerator) {
      if (accelerator === wanted) return
      if (wanted !== '' && fault === null) shortcuts.unregister(wanted)
      wanted = accelerator
      fault = take(accelerator)
      if (fault !== null) onFault(fault)
    },
    keys: () => wanted,
    fault: () => fault,
  }
}
