import { noteUnreachable, untilOnline } from './connection.ts'

/** Loads the code of a view. If the app does not answer, waits until it is back and tries once more. */
export async function loadView<View>(load: () => Promise<View>): Promise<View> {
  try {
    return await load()
  } catch {
    // If only this file is missing, as after an update, the connection is found to be fine and the second attempt fails.
    noteUnreachable()
    await untilOnline()
    return load()
  }
}
