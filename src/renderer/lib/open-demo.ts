import { call } from './client.ts'

/** Starts the demo and opens it: in this tab, or from the desktop app in the system's browser. */
export async function openDemo(): Promise<void> {
  const { link } = await call('demo.open', {})
  if (window.aspy === undefined) window.location.assign(link)
  else window.open(link)
}
