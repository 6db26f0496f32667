#pragma once

#include <string>

namespace weft::comm {

/// Returns the network devices of this node by kind and rate, as the system reports them: "ethernet
/// 10000 Mb/s, rdma 100 Gb/sec (4X EDR)". It omits the names of devices, because equal nodes may
/// number them differently. `devices` is the folder with the files of devices. Local.
std::string network_devices(const std::string& devices = "/sys/class");

/// Returns the environment's settings of MPI transports, in a fixed order: "OMPI_MCA_btl=tcp,self
/// UCX_TLS=rc". Local.
std::string transport_settings();

}  // namespace weft::comm
