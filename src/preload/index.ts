import { contextBridge, ipcRenderer } from 'electron'
import { CHANNELS, type AspyBridge, type StreamMessage } from '../shared/bridge.ts'

const streams = new Map<number, (message: StreamMessage) => void>()
let lastStream = 0

ipcRenderer.on(CHANNELS.batch, (_event, message: StreamMessage) => streams.get(message.stream)?.(message))

const bridge: AspyBridge = {
  call: (name, input) => ipcRenderer.invoke(CHANNELS.call, name, input),
  subscribe(name, input, onBatch, onEnd) {
    lastStream += 1
    const stream = lastStream
    streams.set(stream, (message) => {
      if (message.type === 'batch') return onBatch(message.json)
      streams.delete(stream)
      onEnd(message.error)
    })
    ipcRenderer.send(CHANNELS.subscribe, stream, name, input)
    return () => {
      if (streams.delete(stream)) ipcRenderer.send(CHANNELS.unsubscribe, stream)
    }
  },
}

contextBridge.exposeInMainWorld('aspy', bridge)
