import { call } from './client.ts'

/** Leaves the demo: returns to the app that opened it or, if there is none, ends the demo. */
export async function leaveDemo(): Promise<void> {
  const { link } = await call('demo.leave', {})
  if (link === null) window.close()
  else window.location.assign(link)
}
