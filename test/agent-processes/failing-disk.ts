import { type Disk, type OpenFile, realDisk } from "../../src/ground/disk.ts";

type Write = OpenFile["write"];

/** The real disk, where `write` is what `around` makes of it. */
export const diskWriting = (around: (write: Write) => Write): Disk => ({
  ...realDisk,
  open: (path) => {
    const file = realDisk.open(path);
    return new Proxy(file, {
      get: (_, name: keyof OpenFile) =>
        name === "write" ? around(file.write.bind(file)) : file[name].bind(file),
    });
  },
});
