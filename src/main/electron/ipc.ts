import { ipcMain, type IpcMainEvent, type IpcMainInvokeEvent, type WebContents } from 'electron'
import { CHANNELS, type BridgeAnswer } from '../../shared/bridge.ts'
import { createIpcSurface, type IpcDispatch, type IpcSurface } from '../surfaces/ipc/ipc-surface.ts'
import { isTrustedSender } from './trusted-sender.ts'

/** Binds the IPC surface to Electron's channels. Every channel refuses frames that are not our own page. */
export function bindIpc(dispatch: IpcDispatch): () => void {
  const surfaces = new Map<number, IpcSurface>()

  function surfaceOf(sender: WebContents): IpcSurface {
    const known = surfaces.get(sender.id)
    if (known !== undefined) return known
    const surface = createIpcSurface(dispatch, (message) => {
      if (!sender.isDestroyed()) sender.send(CHANNELS.batch, message)
    })
    surfaces.set(sender.id, surface)
    // A page that navigates or reloads loses its streams.
    sender.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) surface.dispose()
    })
    sender.once('destroyed', () => {
      surface.dispose()
      surfaces.delete(sender.id)
    })
    return surface
  }

  const trusted = (event: IpcMainEvent | IpcMainInvokeEvent) => isTrustedSender(event.senderFrame)
  const refusal: BridgeAnswer = {
    ok: false,
    error: { code: 'forbidden', message: "only Aspy's own window may call this" },
  }

  ipcMain.handle(CHANNELS.call, (event, name: unknown, input: unknown) =>
    trusted(event) ? surfaceOf(event.sender).call(name, input) : refusal,
  )
  ipcMain.on(CHANNELS.subscribe, (event, stream: unknown, name: unknown, input: unknown) => {
    if (trusted(event)) surfaceOf(event.sender).subscribe(stream, name, input)
  })
  ipcMain.on(CHANNELS.unsubscribe, (event, stream: unknown) => {
    if (trusted(event)) surfaceOf(event.sender).unsubscribe(stream)
  })

  return () => {
    ipcMain.removeHandler(CHANNELS.call)
    ipcMain.removeAllListeners(CHANNELS.subscribe)
    ipcMain.removeAllListeners(CHANNELS.unsubscribe)
    for (const surface of surfaces.values()) surface.dispose()
  }
}
