#pragma once

#include <string>

namespace weft::comm {

/// The network devices of this node by kind and rate, as the system reports them, without names:
/// nodes that are alike number theirs differently. "ethernet 10000 Mb/s, rdma 100 Gb/sec (4X EDR)".
/// Files of devices lie under `devices`, normally /sys/class. Local.
std::string network_devices(const std::string& devices = "/sys/class");

/// The settings of the environment that choose what MPI sends over, in one order:
/// "OMPI_MCA_btl=tcp,self UCX_TLS=rc". Local.
std::string transport_settings();

}  // namespace weft::comm
