import { dialog } from 'electron'

/** Asks in which folder Claude Code should start; null: the user cancelled. */
export async function chooseFolder(): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog({
    title: 'Start Claude Code in',
    buttonLabel: 'Start here',
    properties: ['openDirectory', 'createDirectory'],
  })
  return canceled ? null : (filePaths[0] ?? null)
}
