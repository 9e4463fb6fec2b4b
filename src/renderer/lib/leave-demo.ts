import { call } from './client.ts'

/** Leaves the demo: for the app that it was opened from, or, if there is none, it ends. */
export async function leaveDemo(): Promise<void> {
  const { link } = await call('demo.leave', {})
  if (link === null) window.close()
  else window.location.assign(link)
}
