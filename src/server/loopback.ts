import net from "node:net";

const LOOPBACK = new net.BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether an IP address, IPv4 also as mapped into IPv6, is one that only this machine can use. */
export const isLoopback = (address: string): boolean =>
  LOOPBACK.check(address, net.isIPv6(address) ? "ipv6" : "ipv4");
